#include "base/text_rules.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace consentry {
namespace {

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};
template <std::size_t N>
bool is_among(const std::array<Range, N>& ranges, std::uint32_t point) {
    return std::ranges::any_of(ranges, [&](Range range) { return point >= range.first && point <= range.last; });
}
// Control characters, line ends, direction marks, and invisible characters that join nothing.
constexpr std::array unfit{Range{0x00, 0x1F},       Range{0x7F, 0x9F},       Range{0xAD, 0xAD},
                           Range{0x61C, 0x61C},     Range{0x180E, 0x180E},   Range{0x200B, 0x200B},
                           Range{0x200E, 0x200F},   Range{0x2028, 0x202E},   Range{0x2060, 0x206F},
                           Range{0xFEFF, 0xFEFF},   Range{0xFFF0, 0xFFFB},   Range{0xFFFE, 0xFFFF},
                           Range{0xE0000, 0xE001F}, Range{0xF0000, 0x10FFFF}};
// Allowed next to other characters, but invisible on their own: spaces, joiners, fillers, variation selectors.
constexpr std::array blank{
    Range{0x20, 0x20},     Range{0xA0, 0xA0},     Range{0x34F, 0x34F},   Range{0x115F, 0x1160},
    Range{0x1680, 0x1680}, Range{0x17B4, 0x17B5}, Range{0x2000, 0x200A}, Range{0x200C, 0x200D},
    Range{0x202F, 0x202F}, Range{0x205F, 0x205F}, Range{0x2800, 0x2800}, Range{0x3000, 0x3000},
    Range{0x3164, 0x3164}, Range{0xFE00, 0xFE0F}, Range{0xFFA0, 0xFFA0}, Range{0xE0020, 0xE01EF}};

}  // namespace

bool is_at_least(std::string_view text, std::int64_t min) {
    const auto length = code_points(text);
    return length && static_cast<std::int64_t>(*length) >= min;
}

bool is_at_most(std::string_view text, std::int64_t max) {
    const auto length = code_points(text);
    return length && static_cast<std::int64_t>(*length) <= max;
}

bool is_identity_subject(std::string_view text) {
    return !text.empty() && text.size() <= 255 && std::ranges::all_of(text, is_printable);
}

bool is_one_line_name(std::string_view text) {
    if (text.empty()) return true;
    if (!code_points(text)) return false;
    bool is_seen = false;
    while (!text.empty()) {
        const auto [point, length] = first_code_point(text);
        if (is_among(unfit, point)) return false;
        if (!is_among(blank, point)) is_seen = true;
        text.remove_prefix(length);
    }
    return is_seen;
}

bool has_all_classes(std::string_view password) {
    return std::ranges::any_of(password, is_upper_letter) && std::ranges::any_of(password, is_lower_letter) &&
           std::ranges::any_of(password, is_digit);
}

}  // namespace consentry
