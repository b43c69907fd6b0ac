// What a reader has kept of a log, from files that the command line names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "features/consent_proof/earlier_check.hpp"
#include "tlog/policy.hpp"

namespace consentry {

// Reads checkpoints, proofs, receipts, exports of accounts and bundles, and verifies them for the log of a bundle.
// Throws WrongUse if a file cannot be read or is none of these, and std::runtime_error if it is refused. Returns
// nothing if the bundle is none: it will be refused.
EarlierRecords read_earlier(const std::vector<std::string>& files, std::string_view bundle, const tlog::Policy& policy);

}  // namespace consentry
