// What a verifier learns from the signed description of a log. Pure functions; errors are sentences that say what is
// wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "crypto/key_set.hpp"
#include "tlog/policy.hpp"

namespace consentry {

struct Description {
    std::string origin;
    crypto::KeySet receipt_keys;
    std::int64_t merge_delay = 0;  // seconds within which the log adds entries: receipts promise no more
};

// Reads the note at /.well-known/consent-log.note, if a log of the policy has signed it.
std::expected<Description, std::string> open_description(std::string_view text, const tlog::Policy& policy);

}  // namespace consentry
