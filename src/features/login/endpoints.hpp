#pragma once

#include "features/login/login.hpp"
#include "http/router.hpp"

namespace consentry {

void add_login_endpoints(http::Router& router, Login& login);
// Requires that a SocialGuard has been provided to the router.
void add_social_endpoints(http::Router& router, Login& login);

}  // namespace consentry
