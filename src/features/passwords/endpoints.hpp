#pragma once

#include "features/passwords/confirmation.hpp"
#include "features/passwords/passwords.hpp"
#include "features/sessions/sessions.hpp"
#include "http/router.hpp"

namespace consentry {

// Password change, and confirmation of the caller's identity. Requires a CallerGuard to be provided.
void add_password_endpoints(http::Router& router, Passwords& passwords, Confirmation& confirmation, Sessions& sessions);

}  // namespace consentry
