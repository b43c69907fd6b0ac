// Digests, HMAC, HKDF and related helpers. Pure and thread-safe; throw std::runtime_error if the library fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace consentry::crypto {

// The running time depends only on the lengths, never on the position of the first difference (CRY-5). Returns false
// for different lengths.
bool equal_constant_time(BytesView a, BytesView b);

// Most digests here are derived from a secret, so comparison is always constant-time, and there is no ordering.
struct Sha256 : std::array<std::uint8_t, 32> {
    friend bool operator==(const Sha256& a, const Sha256& b) { return equal_constant_time(a, b); }
    friend void operator<=>(const Sha256&, const Sha256&) = delete;
};

Sha256 sha256(BytesView message);
Sha256 sha256(std::string_view message);

// RFC 1321. Only for even distribution, never for security: MD5 collisions take seconds to compute.
std::array<std::uint8_t, 16> md5(std::string_view message);

// RFC 2104. Accepts any key length, including the empty key: the code that configures a key checks its length.
Sha256 hmac_sha256(BytesView key, BytesView message);
std::array<std::uint8_t, 20> hmac_sha1(BytesView key, BytesView message);  // for TOTP only

// RFC 5869. Throws std::invalid_argument for an empty secret or for a length above 255 * 32 bytes.
Bytes hkdf_sha256(BytesView secret, BytesView salt, BytesView info, std::size_t length);
// Derives one key per purpose from one configured secret (CRY-3): no salt, info = label.
Bytes hkdf_sha256(BytesView secret, std::string_view label, std::size_t length);

// Overwrite the whole buffer and leave it empty; the compiler cannot optimize the overwrite away.
void wipe(std::string& secret);
void wipe(Bytes& secret);

}  // namespace consentry::crypto
