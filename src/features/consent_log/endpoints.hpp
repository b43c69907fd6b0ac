// The log as everybody reads it, and users' receipts and proofs.
#pragma once

#include "features/consent_log/consent_log.hpp"
#include "http/router.hpp"

namespace consentry {

void add_consent_log_endpoints(http::Router& router, ConsentLog& log);

}  // namespace consentry
