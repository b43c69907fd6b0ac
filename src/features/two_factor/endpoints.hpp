#pragma once

#include "features/roles/roles.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/repository.hpp"
#include "http/router.hpp"

namespace consentry {

// Management of the own second factor, and the admin's reset. Needs SessionGuard provided.
void add_two_factor_endpoints(http::Router& router, TwoFactor& two_factor, UserRepository& users, Roles& roles);

}  // namespace consentry
