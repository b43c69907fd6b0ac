// Iteration over UTF-8 code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace consentry {

// Returns the first code point and its length in bytes. `text` must be non-empty, valid UTF-8 (check with code_points()
// of base/text.hpp).
constexpr std::pair<std::uint32_t, std::size_t> first_code_point(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint8_t first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    std::uint32_t value = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3FU);
    return {value, length};
}

}  // namespace consentry
