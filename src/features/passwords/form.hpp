// The form of a new password: its length, and the kinds of its characters. What is refused beyond it: policy.hpp.
#pragma once

#include <cstdint>
#include <string_view>

#include <boost/json/object.hpp>

#include "http/schema/rules.hpp"

namespace consentry {

enum class PasswordRules {
    classes,  // 8 to 50 characters with an upper-case letter, a lower-case letter and a digit
    nist,     // 12 to 128 characters of any kind (NIST SP 800-63B-4)
};

// Of the whole process, chosen before it serves anybody: shapes of requests are declared without a service at hand.
void choose_password_rules(PasswordRules rules);
PasswordRules password_rules();

struct PasswordLengthMin {
    static constexpr std::string_view key = http::MinLength::key;
    static http::MinLength rule() { return http::min_length(password_rules() == PasswordRules::nist ? 12 : 8); }
    bool holds(std::string_view text) const { return rule().holds(text); }
    boost::json::object placeholders() const { return rule().placeholders(); }
    void describe(boost::json::object& schema) const { rule().describe(schema); }
};
struct PasswordLengthMax {
    static constexpr std::string_view key = http::MaxLength::key;
    static http::MaxLength rule() { return http::max_length(password_rules() == PasswordRules::nist ? 128 : 50); }
    bool holds(std::string_view text) const { return rule().holds(text); }
    boost::json::object placeholders() const { return rule().placeholders(); }
    void describe(boost::json::object& schema) const { rule().describe(schema); }
};
struct PasswordClasses {
    static constexpr std::string_view key = http::StrongPassword::key;
    bool holds(std::string_view text) const {
        return password_rules() == PasswordRules::nist || http::strong_password.holds(text);
    }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { http::strong_password.describe(schema); }
};
inline constexpr PasswordLengthMin password_length_min;
inline constexpr PasswordLengthMax password_length_max;
inline constexpr PasswordClasses password_classes;

// For the API document, beside the numbers of the schema.
inline constexpr std::string_view new_password_description =
    "New password; not a common one. Must contain an upper-case letter, a lower-case letter and a digit, unless the "
    "operator requires length only";

}  // namespace consentry
