#pragma once

#include "features/roles/roles.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/repository.hpp"
#include "http/router.hpp"

namespace consentry {

// Management of the caller's second factor, and the administrator's reset. Requires a SessionGuard to be provided.
void add_two_factor_endpoints(http::Router& router, TwoFactor& two_factor, UserRepository& users, Roles& roles);

}  // namespace consentry
