// Endpoints for authors of term policies, and the public list.
#pragma once

#include "features/term_policies/diffs.hpp"
#include "features/term_policies/term_policies.hpp"
#include "http/router.hpp"

namespace consentry {

void add_term_policy_endpoints(http::Router& router, TermPolicies& policies);
// What everybody may read about published versions: the record, the processing, and comparisons.
void add_public_policy_endpoints(http::Router& router, TermPolicies& policies, PolicyDiffs& diffs);

}  // namespace consentry
