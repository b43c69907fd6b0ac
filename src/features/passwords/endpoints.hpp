#pragma once

#include "features/passwords/passwords.hpp"
#include "http/router.hpp"

namespace consentry {

// Change of the own password. Needs SessionGuard provided.
void add_password_endpoints(http::Router& router, Passwords& passwords);

}  // namespace consentry
