// A person with an account, as tests know them.
#pragma once

#include <string>
#include <vector>

#include "base/uuid.hpp"

namespace consentry::tests {

inline const std::string right_password = "Velvet-Harbor-42";

struct Person {
    UserId id{};
    std::string email{};
    std::string password = right_password;
    std::string secret{};  // base32; empty until two-factor is set up
    std::vector<std::string> backup_codes{};
};

struct TokenTexts {
    std::string access;
    std::string refresh;
};

}  // namespace consentry::tests
