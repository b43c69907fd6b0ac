// User names: generation, and the permitted characters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "crypto/random.hpp"

namespace consentry {

// Lowercase letters, digits, '-' and '_'.
inline bool has_username_characters(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_lower_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

// 12 of 36 characters give 62 bits: among 10^9 accounts, the chance of any collision is about one in ten. The unique
// column rejects a collision, and the caller draws again.
inline std::string new_username(std::string_view prefix) {
    return std::string(prefix) + '-' + crypto::random_text(12, "abcdefghijklmnopqrstuvwxyz0123456789");
}

}  // namespace consentry
