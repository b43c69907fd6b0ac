// ASCII character classes, independent of the locale.
#pragma once

#include <string_view>

namespace consentry {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper_letter(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower_letter(c) || is_upper_letter(c); }
constexpr bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool is_visible(char c) { return c > ' ' && c <= '~'; }
constexpr bool is_printable(char c) { return c == ' ' || is_visible(c); }
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr char lower_letter(char c) { return is_upper_letter(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char upper_letter(char c) { return is_lower_letter(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

inline constexpr std::string_view hex_digits = "0123456789abcdef";
inline constexpr std::string_view upper_hex_digits = "0123456789ABCDEF";

// Returns -1 if `c` is not a hexadecimal digit.
constexpr int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The base64url alphabet without padding (RFC 4648 section 5).
constexpr bool is_base64url(char c) { return is_alphanumeric(c) || c == '-' || c == '_'; }

}  // namespace consentry
