// Which bytes may stand where in a message head (RFC 9110 section 5.6.2, RFC 9112).
#pragma once

#include <string_view>

namespace consentry::http {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}
constexpr bool is_token(char c) {
    return is_letter(c) || is_digit(c) || (c != '\0' && std::string_view{"!#$%&'*+-.^_`|~"}.contains(c));
}
constexpr bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; }

// Without early exit, so that the compiler works on many bytes at a time.
constexpr bool holds_control(std::string_view text) {
    bool found = false;
    for (const char c : text) found |= is_control(c);
    return found;
}

}  // namespace consentry::http
