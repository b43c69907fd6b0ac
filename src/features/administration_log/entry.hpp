// What the entries of the administration log say. Pure functions.
//
// As in the consent log, an entry stays forever and holds no personal data: accounts are random tags, and whatever
// else is known about the act is in the addendum, which can be deleted (docs/decisions/0034).
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "features/activity/acts.hpp"
#include "features/published_logs/repository.hpp"

namespace consentry {

struct ActEntry {
    std::int64_t code = 0;  // acts.hpp
    bool is_late = false;   // logged later than promised: the service was not running, or the log was off
    std::chrono::sys_seconds time{};
    SubjectTag actor{};    // all zero: the operator on the command line
    SubjectTag subject{};  // all zero: the act concerns no single account
    crypto::Sha256 addendum{};
    bool operator==(const ActEntry&) const = default;
};

inline constexpr SubjectTag no_tag{};
inline constexpr std::size_t act_entry_bytes = 76;

// One byte each for the layout (4; the numbers below are those of the consent log) and the flags (1 late); the code as
// a big-endian uint16, the time as a big-endian uint64 of seconds since 1970; actor, subject and addendum.
Bytes format_entry(const ActEntry& entry);
// Accepts exactly what format_entry() returns. The error is a sentence that says what is wrong.
std::expected<ActEntry, std::string> parse_act_entry(BytesView bytes);

// JSON without white space, the members in alphabetical order. The entry names the SHA-256 of this text.
std::string addendum_text(const Act& act, const AddendumSalt& salt);

}  // namespace consentry
