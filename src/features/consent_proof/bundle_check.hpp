// Verifies an auditor's bundle without the service, from nothing but what its reader trusts. Pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "tlog/policy.hpp"

namespace consentry {

struct VerifiedBundle {
    tlog::AcceptedCheckpoint accepted;
    bool is_whole = false;  // contains all entries of the log
    std::uint64_t entries = 0;
    std::uint64_t addenda = 0;
    std::uint64_t documents = 0;
    std::uint64_t timestamps = 0;  // not verified: their authority is none of the log's
};

// The error is a sentence that names the member and says what is wrong.
std::expected<VerifiedBundle, std::string> verify_bundle(BytesView archive, const tlog::Policy& policy);

}  // namespace consentry
