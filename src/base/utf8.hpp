// The characters of UTF-8 text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace consentry {

// Whether the byte belongs to a character that began before it.
constexpr bool continues_character(char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80; }

// The longest beginning of at most `bytes_max` bytes that cuts no character.
constexpr std::string_view cut_at_character(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    while (bytes_max > 0 && continues_character(text[bytes_max])) --bytes_max;
    return text.substr(0, bytes_max);
}

// The length in bytes of the character that this byte begins.
constexpr std::size_t character_length(char first) {
    const auto byte = static_cast<std::uint8_t>(first);
    return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0x80 ? 2 : 1;
}

// Returns the first code point and its length in bytes. `text` must be non-empty, valid UTF-8 (check with code_points()
// of base/text.hpp).
constexpr std::pair<std::uint32_t, std::size_t> first_code_point(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::size_t length = character_length(text.front());
    if (length == 1) return {byte(0), 1};
    std::uint32_t value = byte(0) & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3FU);
    return {value, length};
}

}  // namespace consentry
