// One-time codes: HOTP (RFC 4226) and TOTP with SHA-1 (RFC 6238), the variant that all authenticator applications
// support. Pure functions: the caller passes the time and stores the last accepted step (TFA-3).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/clock.hpp"

namespace consentry::crypto {

struct TotpSettings {
    int digits = 6;                   // 6 to 8 (RFC 4226 section 5.3)
    std::chrono::seconds period{30};  // at least 1
    int window = 1;                   // steps accepted before and after the current one, 0 to 10 (RFC 6238 section 5.2)
};

// All functions throw std::invalid_argument if the settings are outside these bounds.

std::string hotp(BytesView secret, std::uint64_t counter, int digits);  // keeps leading zeros

// Returns the number of whole periods since the Unix epoch.
std::int64_t totp_step(TimePoint now, const TotpSettings& settings);

// Returns the step in T-window..T+window that the code matches, or nullopt if there is none. All steps are computed and
// compared in constant time, even after a match (CRY-5). If two steps share a code, the one nearer to T wins, and of
// T-n and T+n the later one: once the caller has stored that step, the same digits cannot be accepted again for the
// earlier one.
std::optional<std::int64_t> matching_step(BytesView secret, std::string_view code, TimePoint now,
                                          const TotpSettings& settings);

// Returns the content of the QR code:
// otpauth://totp/<label>:<account>?secret=...&issuer=...&algorithm=SHA1&digits=6&period=30, each part percent-encoded
// except for the unreserved characters of RFC 3986 section 2.3 (TFA-1).
std::string otpauth_url(std::string_view issuer, std::string_view label, std::string_view account, BytesView secret,
                        const TotpSettings& settings);

}  // namespace consentry::crypto
