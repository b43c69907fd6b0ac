// One-time codes: HOTP (RFC 4226) and TOTP over SHA-1 (RFC 6238), the form that every authenticator application
// knows. Pure functions: the caller brings the time and remembers the last accepted step (TFA-3).
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
    int window = 1;                   // steps accepted before and after the present one, 0 to 10 (RFC 6238 section 5.2)
};

// All functions throw std::invalid_argument for settings outside these bounds.

std::string hotp(BytesView secret, std::uint64_t counter, int digits);  // leading zeros kept

// The number of whole periods since 1970.
std::int64_t totp_step(TimePoint now, const TotpSettings& settings);

// The step the code belongs to, out of T-window..T+window; nullopt where there is none. Every step is computed and
// compared in constant time whether or not an earlier one fitted (CRY-5). Should two steps share a code, the one
// nearer to T counts, and of T-n and T+n the later: once that one is remembered, the same digits pass no second time
// at the earlier one.
std::optional<std::int64_t> matching_step(BytesView secret, std::string_view code, TimePoint now,
                                          const TotpSettings& settings);

// What a QR code holds: otpauth://totp/<label>:<account>?secret=...&issuer=...&algorithm=SHA1&digits=6&period=30,
// each part percent-encoded down to the unreserved characters of RFC 3986 section 2.3 (TFA-1).
std::string otpauth_url(std::string_view issuer, std::string_view label, std::string_view account, BytesView secret,
                        const TotpSettings& settings);

}  // namespace consentry::crypto
