#include "base/uuid.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include <sys/random.h>

namespace consentry {

namespace {

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Every request gets an id: the system is asked once for many. Nothing secret is made of these bytes, and the
// program does not fork.
void fill_random(std::span<std::uint8_t> out) {
    struct Stock {
        std::array<std::uint8_t, 250> bytes{};
        std::size_t used = 250;
    };
    thread_local Stock stock;
    if (stock.bytes.size() - stock.used < out.size()) {
        // At most 256 bytes in one call: never interrupted, never short (getrandom(2)).
        if (getrandom(stock.bytes.data(), stock.bytes.size(), 0) != static_cast<ssize_t>(stock.bytes.size()))
            throw std::runtime_error("getrandom failed");
        stock.used = 0;
    }
    std::copy_n(stock.bytes.begin() + static_cast<std::ptrdiff_t>(stock.used), out.size(), out.begin());
    stock.used += out.size();
}

}  // namespace

Uuid Uuid::v7(TimePoint now) {
    std::array<std::uint8_t, 16> bytes{};
    fill_random(std::span(bytes).subspan(6));
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
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes[at++] = static_cast<std::uint8_t>(high << 4 | low);
        i += 2;
    }
    return Uuid{bytes};
}

std::string Uuid::text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out(36, '-');
    std::size_t at = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) ++at;
        out[at++] = digits[bytes_[i] >> 4];
        out[at++] = digits[bytes_[i] & 15];
    }
    return out;
}

}  // namespace consentry
