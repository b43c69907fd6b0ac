#include "base/percent_encoding.hpp"

#include "base/ascii.hpp"

namespace consentry {
namespace {

// Returns whether every '%' was followed by two digits.
bool decode(std::string_view text, std::string& out) {
    bool whole = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int octet = text[i] == '%' ? octet_at(text, i) : -1;
        if (octet >= 0) {
            out.push_back(static_cast<char>(octet));
            i += 2;
        } else {
            whole = whole && text[i] != '%';
            out.push_back(text[i] == '+' ? ' ' : text[i]);
        }
    }
    return whole;
}

}  // namespace

int octet_at(std::string_view text, std::size_t percent) {
    if (percent + 2 >= text.size()) return -1;
    const int high = hex_value(text[percent + 1]);
    const int low = hex_value(text[percent + 2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

void append_percent_encoded(std::string& out, char c) {
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', upper_hex_digits[byte >> 4U], upper_hex_digits[byte & 15U]});
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
    constexpr std::string_view marks = "-._~";
    std::string out;
    for (const char c : text) {
        if (is_alphanumeric(c) || marks.contains(c) || kept.contains(c))
            out.push_back(c);
        else
            append_percent_encoded(out, c);
    }
    return out;
}

std::optional<std::string> form_decoded(std::string_view text) {
    std::string out;
    if (!decode(text, out)) return std::nullopt;
    return out;
}

std::string loosely_form_decoded(std::string_view text) {
    std::string out;
    decode(text, out);
    return out;
}

}  // namespace consentry
