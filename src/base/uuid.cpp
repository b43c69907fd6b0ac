#include "base/uuid.hpp"

#include <stdexcept>

#include <sys/random.h>

#include "base/bytes.hpp"

namespace consentry {

Uuid Uuid::v7(TimePoint now) {
    std::array<std::uint8_t, 16> bytes{};
    // One call, at most 256 bytes: never interrupted, never short (getrandom(2)).
    if (getrandom(bytes.data() + 6, 10, 0) != 10) throw std::runtime_error("getrandom failed");
    const auto ms = static_cast<std::uint64_t>(epoch_ms(now));
    for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(ms >> (40 - 8 * i) & 0xFF);
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x70);  // version 7
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);  // variant 10
    return Uuid{bytes};
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-')
        return std::nullopt;
    std::array<std::uint8_t, 16> bytes{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < 36;) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            ++i;
            continue;
        }
        const auto byte = from_hex(text.substr(i, 2));
        if (!byte) return std::nullopt;
        bytes[at++] = byte->front();
        i += 2;
    }
    return Uuid{bytes};
}

std::string Uuid::text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(36);
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out.push_back('-');
        out.push_back(digits[bytes_[i] >> 4]);
        out.push_back(digits[bytes_[i] & 15]);
    }
    return out;
}

}  // namespace consentry
