#include "crypto/base32.hpp"

#include <cstdint>
#include <string_view>

namespace consentry::crypto {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

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

}  // namespace consentry::crypto
