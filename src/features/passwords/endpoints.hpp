#pragma once

#include "features/passwords/confirmation.hpp"
#include "features/passwords/passwords.hpp"
#include "http/router.hpp"

namespace consentry {

// Change of the own password, and a new proof of who the caller is. Needs CallerGuard provided.
void add_password_endpoints(http::Router& router, Passwords& passwords, Confirmation& confirmation);

}  // namespace consentry
