// Auditor's bundles for administrators.
#pragma once

#include "features/consent_proof/bundles.hpp"
#include "http/router.hpp"

namespace consentry {

void add_consent_proof_endpoints(http::Router& router, Bundles& bundles);

}  // namespace consentry
