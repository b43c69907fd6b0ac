// Base32 (RFC 4648 section 6), upper case, without padding: the form in which authenticator applications accept a
// secret.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace consentry::crypto {

std::string to_base32(BytesView bytes);
// Strict, so that each byte string has exactly one spelling: returns nullopt for lower case, padding, impossible
// lengths and non-zero unused bits.
std::optional<Bytes> from_base32(std::string_view text);

}  // namespace consentry::crypto
