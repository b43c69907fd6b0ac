// Numbers in text from outside. Parsing is strict: a text with anything around the digits is not a number.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/ascii.hpp"

namespace consentry {

// Decimal digits, with a leading minus if T is signed. Returns nullopt for anything else, and if T cannot hold the
// number.
template <std::integral T>
std::optional<T> parse_number(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// Accepts one spelling per number, without sign and leading zeros: for text that is a name, or that has been signed.
template <std::integral T>
std::optional<T> parse_canonical_number(std::string_view text) {
    if (text.empty() || !is_digit(text.front()) || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    return parse_number<T>(text);
}

}  // namespace consentry
