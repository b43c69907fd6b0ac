#include "crypto/base32.hpp"

namespace consentry::crypto {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

// Uses comparisons rather than a table: secret characters must not index memory (cache timing).
int value_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= '2' && c <= '7') return c - '2' + 26;
    return -1;
}

}  // namespace

std::string to_base32(BytesView bytes) {
    std::string out;
    out.reserve((bytes.size() * 8 + 4) / 5);
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const std::uint8_t byte : bytes) {
        buffer = (buffer << 8 | byte) & 0xFFFF;
        bits += 8;
        while (bits >= 5) {
            bits -= 5;
            out.push_back(alphabet[buffer >> bits & 31]);
        }
    }
    if (bits > 0) out.push_back(alphabet[buffer << (5 - bits) & 31]);
    return out;
}

std::optional<Bytes> from_base32(std::string_view text) {
    const std::size_t rest = text.size() % 8;
    if (rest == 1 || rest == 3 || rest == 6) return std::nullopt;  // no byte count yields this length
    Bytes out;
    out.reserve(text.size() * 5 / 8);
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const int value = value_of(c);
        if (value < 0) return std::nullopt;
        buffer = (buffer << 5 | static_cast<std::uint32_t>(value)) & 0xFFFF;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            out.push_back(static_cast<std::uint8_t>(buffer >> bits & 0xFF));
        }
    }
    if ((buffer & ((1U << bits) - 1)) != 0) return std::nullopt;
    return out;
}

}  // namespace consentry::crypto
