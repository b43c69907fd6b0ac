#pragma once

#include "features/roles/roles.hpp"
#include "http/router.hpp"

namespace consentry {

void add_role_endpoints(http::Router& router, Roles& roles);

}  // namespace consentry
