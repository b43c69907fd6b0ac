// What a verifier learns from the signed description of a log. Pure functions; errors are sentences that say what is
// wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "crypto/signature_keys.hpp"
#include "tlog/policy.hpp"

namespace consentry {

struct Description {
    std::string origin;
    std::map<std::string, crypto::PublicKey, std::less<>> receipt_keys;  // by their IDs
    std::int64_t merge_delay = 0;  // seconds within which the log adds entries: receipts promise no more
    std::string verifier_key;      // of the log: two logs may have one origin
};

// Whether the text has the format of a description; verifies nothing.
std::expected<void, std::string> check_is_description(std::string_view text);

// Reads the note at /.well-known/consent-log.note, if a log of the policy has signed it.
std::expected<Description, std::string> open_description(std::string_view text, const tlog::Policy& policy);

// Adds what another description of the same log says: its keys are those of all of its descriptions. Fails if they
// contradict each other.
std::expected<void, std::string> add_description(Description& known, const Description& more);

}  // namespace consentry
