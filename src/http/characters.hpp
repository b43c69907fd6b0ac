// The character classes of a message head (RFC 9110 section 5.6.2, RFC 9112).
#pragma once

#include <string_view>

#include "base/ascii.hpp"

namespace consentry::http {

constexpr bool is_token(char c) {
    return is_alphanumeric(c) || (c != '\0' && std::string_view{"!#$%&'*+-.^_`|~"}.contains(c));
}
constexpr bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; }

// No early exit, so that the compiler can vectorize the loop.
constexpr bool holds_control(std::string_view text) {
    bool found = false;
    for (const char c : text) found |= is_control(c);
    return found;
}

}  // namespace consentry::http
