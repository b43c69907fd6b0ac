// The users' endpoints for policies. None of them requires consent, so a user stopped by the guard can still give it
// (DOC-8).
#pragma once

#include "features/acceptances/acceptances.hpp"
#include "http/router.hpp"

namespace consentry {

void add_acceptance_endpoints(http::Router& router, Acceptances& acceptances);

}  // namespace consentry
