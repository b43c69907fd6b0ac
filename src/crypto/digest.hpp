// Digests, keyed digests and what goes with them. Pure and thread-safe; a failing library throws std::runtime_error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace consentry::crypto {

// The time depends on the lengths only, never on the place of the first difference (CRY-5). Different lengths: false.
bool equal_constant_time(BytesView a, BytesView b);

// Most digests here stand for a secret, so all are compared in constant time, and none has an order.
struct Sha256 : std::array<std::uint8_t, 32> {
    friend bool operator==(const Sha256& a, const Sha256& b) { return equal_constant_time(a, b); }
    friend void operator<=>(const Sha256&, const Sha256&) = delete;
};

Sha256 sha256(BytesView message);
Sha256 sha256(std::string_view message);

// RFC 1321. Spreads values evenly, and protects nothing: collisions are made in seconds.
std::array<std::uint8_t, 16> md5(std::string_view message);

// RFC 2104. Any key length, the empty key included: whoever configures a key checks its length.
Sha256 hmac_sha256(BytesView key, BytesView message);
std::array<std::uint8_t, 20> hmac_sha1(BytesView key, BytesView message);  // for TOTP only

// RFC 5869. Throws std::invalid_argument for an empty secret or more than 255 * 32 bytes.
Bytes hkdf_sha256(BytesView secret, BytesView salt, BytesView info, std::size_t length);
// One key per purpose out of one configured secret (CRY-3): no salt, info = label.
Bytes hkdf_sha256(BytesView secret, std::string_view label, std::size_t length);

// Overwrites the whole buffer and leaves it empty; the compiler cannot leave it out.
void wipe(std::string& secret);
void wipe(Bytes& secret);

}  // namespace consentry::crypto
