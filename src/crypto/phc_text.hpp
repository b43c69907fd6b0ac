// The parts of password hashes in the PHC string format and its relatives. Each value has one spelling, so that two
// texts of the same hash are equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace consentry::crypto {

// Decimal, without sign and leading zeros.
std::optional<std::uint32_t> phc_number(std::string_view text);
// Base64 without padding; its unused bits are zero.
std::optional<Bytes> from_unpadded_base64(std::string_view text);

}  // namespace consentry::crypto
