// User names: those that the service gives, and what any of them is made of.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "crypto/random.hpp"

namespace consentry {

// Small letters, digits, '-' and '_'.
inline bool has_username_characters(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_lower_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

// 12 of 36 characters: 62 bits, so that a thousand million accounts meet by chance once in ten. Who loses that draw
// is told by the unique column and draws again.
inline std::string new_username(std::string_view prefix) {
    return std::string(prefix) + '-' + crypto::random_text(12, "abcdefghijklmnopqrstuvwxyz0123456789");
}

}  // namespace consentry
