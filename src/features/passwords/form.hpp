// The form of a new password: its length, and the kinds of its characters. What is refused beyond it: policy.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/report.hpp"

namespace consentry {

enum class PasswordRules {
    classes,  // 8 to 50 characters with an upper-case letter, a lower-case letter and a digit
    nist,     // 12 to 128 characters of any kind (NIST SP 800-63B-4)
};

// Of the whole process, chosen before it serves anybody: shapes of requests are declared without a service at hand.
void choose_password_rules(PasswordRules rules);
PasswordRules password_rules();

std::int64_t password_characters_min();
std::int64_t password_characters_max();
// Whether the kinds of its characters are as the rules in force want them.
bool has_password_classes(std::string_view password);
// Names each of these three that a password breaks, for `property`.
void check_password_form(std::string_view password, const std::string& property, Report& report);

}  // namespace consentry
