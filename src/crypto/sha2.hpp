// SHA-384 and SHA-512, used only for signatures. Private to this folder.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.hpp"

namespace consentry::crypto {

std::array<std::uint8_t, 48> sha384(BytesView message);
std::array<std::uint8_t, 64> sha512(BytesView message);

}  // namespace consentry::crypto
