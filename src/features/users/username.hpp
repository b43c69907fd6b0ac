// The user names that the service gives.
#pragma once

#include <string>
#include <string_view>

#include "crypto/random.hpp"

namespace consentry {

// 12 of 36 characters: 62 bits, so that a thousand million accounts meet by chance once in ten. Who loses that draw
// is told by the unique column and draws again.
inline std::string new_username(std::string_view prefix) {
    return std::string(prefix) + '-' + crypto::random_text(12, "abcdefghijklmnopqrstuvwxyz0123456789");
}

}  // namespace consentry
