// What users do with policies. None of it asks for consent itself: the way out of the guard stays open (DOC-8).
#pragma once

#include "features/acceptances/acceptances.hpp"
#include "http/router.hpp"

namespace consentry {

void add_acceptance_endpoints(http::Router& router, Acceptances& acceptances);

}  // namespace consentry
