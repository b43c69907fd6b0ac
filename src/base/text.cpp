#include "base/text.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace consentry {
std::optional<std::size_t> code_points(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++count) {
        const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
        const std::uint8_t first = byte(i);
        std::size_t length = 1;
        std::uint32_t value = 0;
        std::uint32_t least = 0;
        if (first >= 0x80) {
            if ((first & 0xE0) == 0xC0) {
                length = 2;
                value = first & 0x1FU;
                least = 0x80;
            } else if ((first & 0xF0) == 0xE0) {
                length = 3;
                value = first & 0x0FU;
                least = 0x800;
            } else if ((first & 0xF8) == 0xF0) {
                length = 4;
                value = first & 0x07U;
                least = 0x10000;
            } else {
                return std::nullopt;
            }
            if (text.size() - i < length) return std::nullopt;
            for (std::size_t k = 1; k < length; ++k) {
                if (!continues_character(text[i + k])) return std::nullopt;
                value = value << 6 | (byte(i + k) & 0x3FU);
            }
            if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return std::nullopt;
        }
        i += length;
    }
    return count;
}

std::string to_lower_ascii(std::string_view text) {
    std::string out{text};
    std::ranges::transform(out, out.begin(), lower_letter);
    return out;
}

std::string to_upper_ascii(std::string_view text) {
    std::string out{text};
    std::ranges::transform(out, out.begin(), upper_letter);
    return out;
}

// Called for every header of every request; most texts differ in length or in the first characters.
bool equal_ignoring_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i] && lower_letter(a[i]) != lower_letter(b[i])) return false;
    return true;
}

void append_number(std::string& out, std::int64_t number) {
    const fmt::format_int digits(number);
    out.append(digits.data(), digits.size());
}

std::string_view trim(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view take_part(std::string_view& rest, char separator) {
    const std::string_view part = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    for (;;) {
        out.push_back(text.substr(0, text.find(separator)));
        if (out.back().size() == text.size()) return out;
        text.remove_prefix(out.back().size() + 1);
    }
}

}  // namespace consentry
