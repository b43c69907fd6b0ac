#pragma once

#include "features/login/login.hpp"
#include "http/router.hpp"

namespace consentry {

void add_login_endpoints(http::Router& router, Login& login);
// After a SocialGuard was provided.
void add_social_endpoints(http::Router& router, Login& login);

}  // namespace consentry
