// The form of a new password: its length and character classes. Further rules: policy.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/report.hpp"

namespace consentry {

enum class PasswordRules {
    classes,  // 8 to 50 characters with an uppercase letter, a lowercase letter and a digit
    nist,     // 12 to 128 characters of any kind (NIST SP 800-63B-4)
};

// Applies to the whole process. Call before serving requests, because request DTOs declare their rules statically.
void choose_password_rules(PasswordRules rules);
PasswordRules password_rules();

std::int64_t password_characters_min();
std::int64_t password_characters_max();
// Returns whether the password contains the character classes that the chosen rules require.
bool has_password_classes(std::string_view password);
// Adds each form rule that the password breaks to `report` under `property`: length limits and character classes.
void check_password_form(std::string_view password, const std::string& property, Report& report);

}  // namespace consentry
