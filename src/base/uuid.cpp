#include "base/uuid.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include <sys/random.h>

#include "base/ascii.hpp"

namespace consentry {

namespace {

// Position of each byte's two digits in the text.
constexpr std::array<std::uint8_t, 16> places{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34};
constexpr std::array<std::uint8_t, 4> hyphens{8, 13, 18, 23};

constexpr std::array<std::int8_t, 256> digit_table() {
    std::array<std::int8_t, 256> table{};
    table.fill(-1);
    for (std::int8_t i = 0; i < 10; ++i) table[static_cast<std::size_t>('0' + i)] = i;
    for (std::int8_t i = 10; i < 16; ++i)
        table[static_cast<std::size_t>('a' + i - 10)] = table[static_cast<std::size_t>('A' + i - 10)] = i;
    return table;
}
constexpr std::array<std::int8_t, 256> digit_values = digit_table();

int digit(char c) { return digit_values[static_cast<unsigned char>(c)]; }  // -1: none

// Every request gets an id, so random bytes are fetched in bulk. These bytes are not used for secrets, and the program
// does not fork.
void fill_random(std::span<std::uint8_t> out) {
    struct Stock {
        std::array<std::uint8_t, 250> bytes{};
        std::size_t used = 250;
    };
    thread_local Stock stock;
    if (stock.bytes.size() - stock.used < out.size()) {
        // Up to 256 bytes per call, getrandom(2) is neither interrupted nor short.
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

Uuid Uuid::greatest() {
    std::array<std::uint8_t, 16> bytes{};
    bytes.fill(0xFF);
    return Uuid{bytes};
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    for (const std::uint8_t place : hyphens)
        if (text[place] != '-') return std::nullopt;
    std::array<std::uint8_t, 16> bytes{};
    int signs = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const int high = digit(text[places[i]]);
        const int low = digit(text[places[i] + 1U]);
        signs |= high | low;
        bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    if (signs < 0) return std::nullopt;
    return Uuid{bytes};
}

std::string Uuid::text() const {
    std::array<char, 36> out;  // a std::string would check every position
    out.fill('-');
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        out[places[i]] = hex_digits[bytes_[i] >> 4];
        out[places[i] + 1U] = hex_digits[bytes_[i] & 15];
    }
    return {out.data(), out.size()};
}

}  // namespace consentry
