// Randomness for every secret, from the system's generator and nowhere else (CRY-1). Thread-safe, safe after fork.
// All functions throw std::runtime_error when the generator fails: no value is better than a guessable one.
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

// `length` characters, each drawn evenly: bytes that would favour the first characters are thrown away. 22
// alphanumerics carry 130 bits (SES-4 asks for 128). Throws std::invalid_argument unless the alphabet has 1 to 256
// characters.
std::string random_text(std::size_t length, std::string_view alphabet);

}  // namespace consentry::crypto
