// Endpoints for authors of term policies, and the public list.
#pragma once

#include "features/term_policies/term_policies.hpp"
#include "http/router.hpp"

namespace consentry {

void add_term_policy_endpoints(http::Router& router, TermPolicies& policies);

}  // namespace consentry
