// The form of a new password, as rules of a DTO field.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "features/passwords/form.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct PasswordLengthMin {
    static constexpr std::string_view key = http::MinLength::key;
    static http::MinLength rule() { return http::min_length(password_characters_min()); }
    bool holds(std::string_view text) const { return rule().holds(text); }
    boost::json::object placeholders() const { return rule().placeholders(); }
    void describe(boost::json::object& schema) const { rule().describe(schema); }
};
struct PasswordLengthMax {
    static constexpr std::string_view key = http::MaxLength::key;
    static http::MaxLength rule() { return http::max_length(password_characters_max()); }
    bool holds(std::string_view text) const { return rule().holds(text); }
    boost::json::object placeholders() const { return rule().placeholders(); }
    void describe(boost::json::object& schema) const { rule().describe(schema); }
};
struct PasswordClasses {
    static constexpr std::string_view key = http::StrongPassword::key;
    bool holds(std::string_view text) const { return has_password_classes(text); }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { http::strong_password.describe(schema); }
};
inline constexpr PasswordLengthMin password_length_min;
inline constexpr PasswordLengthMax password_length_max;
inline constexpr PasswordClasses password_classes;

// Of a password that proves who its sender is. Above every limit of new passwords.
inline constexpr http::MaxLength sent_password_length = http::max_length(512);

// For the API document, beside the limits in the schema.
inline constexpr std::string_view new_password_description =
    "New password; not a common one, and without the name of the service, the address of the account, or the part "
    "before its @ (names of four or more characters). Must contain an uppercase letter, a lowercase letter and a "
    "digit, unless the operator requires length only";

}  // namespace consentry
