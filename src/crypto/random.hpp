// Cryptographic randomness, exclusively from the system's generator (CRY-1). Thread-safe and safe after fork. All
// functions throw std::runtime_error if the generator fails, rather than return a guessable value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace consentry::crypto {

inline constexpr std::string_view alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
inline constexpr std::string_view upper_alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

void fill_random(std::span<std::uint8_t> out);
Bytes random_bytes(std::size_t count);
template <class Array>
Array random_array() {
    Array out{};
    fill_random(out);
    return out;
}

// Returns `length` characters, drawn uniformly by rejection sampling: bytes that would favor the first characters are
// discarded. 22 alphanumeric characters carry 130 bits (SES-4 requires 128). Throws std::invalid_argument unless the
// alphabet has 1 to 256 characters.
std::string random_text(std::size_t length, std::string_view alphabet);

}  // namespace consentry::crypto
