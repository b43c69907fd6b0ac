#include "base/bytes.hpp"

#include <array>

#include "base/ascii.hpp"

namespace consentry {
namespace {

constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view plain_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> reverse(std::string_view alphabet) {
    std::array<std::int8_t, 256> table{};
    table.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        table[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::int8_t>(i);
    return table;
}
constexpr auto url_values = reverse(url_alphabet);
constexpr auto plain_values = reverse(plain_alphabet);

std::string encode(BytesView bytes, std::string_view alphabet) {
    std::string out;
    out.reserve((bytes.size() * 4 + 2) / 3);
    std::uint32_t buffer = 0;
    int bits = 0;
    for (const std::uint8_t byte : bytes) {
        buffer = (buffer << 8 | byte) & 0xFFFFFF;
        bits += 8;
        while (bits >= 6) {
            bits -= 6;
            out.push_back(alphabet[buffer >> bits & 63]);
        }
    }
    if (bits > 0) out.push_back(alphabet[buffer << (6 - bits) & 63]);
    return out;
}

std::optional<Bytes> decode(std::string_view text, const std::array<std::int8_t, 256>& values) {
    if (text.size() % 4 == 1) return std::nullopt;
    Bytes out(text.size() * 3 / 4);
    auto next = out.begin();  // push_back() would check the capacity for each byte of each token
    std::uint32_t buffer = 0;
    int bits = 0;
    for (const char c : text) {
        const std::int8_t value = values[static_cast<std::uint8_t>(c)];
        if (value < 0) return std::nullopt;
        buffer = (buffer << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            *next++ = static_cast<std::uint8_t>(buffer >> bits & 0xFF);
        }
    }
    if ((buffer & ((1U << bits) - 1)) != 0) return std::nullopt;  // non-canonical spelling
    return out;
}

}  // namespace

std::string to_hex(BytesView bytes) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const std::uint8_t byte : bytes) {
        out.push_back(hex_digits[byte >> 4]);
        out.push_back(hex_digits[byte & 15]);
    }
    return out;
}

std::optional<Bytes> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    Bytes out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_value(text[i]);
        const int low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        out.push_back(static_cast<std::uint8_t>(high << 4 | low));
    }
    return out;
}

std::string to_base64url(BytesView bytes) { return encode(bytes, url_alphabet); }
std::optional<Bytes> from_base64url(std::string_view text) { return decode(text, url_values); }

std::string to_base64(BytesView bytes) {
    std::string out = encode(bytes, plain_alphabet);
    out.append((4 - out.size() % 4) % 4, '=');
    return out;
}
std::optional<Bytes> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && !text.empty() && text.back() == '=') {
        text.remove_suffix(1);
        ++padding;
    }
    return decode(text, plain_values);
}

}  // namespace consentry
