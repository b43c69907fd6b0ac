// Reads a secret as an authenticator application does (crypto/base32.hpp).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace consentry::tests {

inline Bytes from_base32(std::string_view text) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    Bytes out;
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto value = alphabet.find(c);
        if (value == std::string_view::npos) throw std::invalid_argument("no Base32: " + std::string(text));
        buffer = (buffer << 5 | static_cast<std::uint32_t>(value)) & 0xFFFF;
        bits += 5;
        if (bits < 8) continue;
        bits -= 8;
        out.push_back(static_cast<std::uint8_t>(buffer >> bits & 0xFF));
    }
    return out;
}

}  // namespace consentry::tests
