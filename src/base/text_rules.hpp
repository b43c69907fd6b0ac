// Rules for untrusted text. A rule has a key (its name in `errors` and, as request.error.<key>, in locales/*.json) and
// a function that tells whether a text satisfies it. http/schema/rules.hpp adds the rule's description for the API
// document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include <boost/json/object.hpp>

#include "base/email_address.hpp"
#include "base/report.hpp"

namespace consentry {

// Lengths count code points, not bytes (PWD-3). Text that is not valid UTF-8 has no length and satisfies neither.
bool is_at_least(std::string_view text, std::int64_t min);
bool is_at_most(std::string_view text, std::int64_t max);

// Display names: one line with at least one visible character and none that hides text, reorders it or controls a
// terminal. Length and emptiness are separate rules.
bool is_one_line_name(std::string_view text);

// How a provider names a user, the claim `sub` of an identity token: 1 to 255 printable characters of ASCII (OpenID
// Connect Core 1.0 section 2).
bool is_identity_subject(std::string_view text);

// At least one uppercase letter, lowercase letter and digit; length and commonness are separate rules.
bool has_all_classes(std::string_view password);

struct MinLengthRule {
    static constexpr std::string_view key = "minLength";
    std::int64_t min;
    bool holds(std::string_view text) const { return is_at_least(text, min); }
    boost::json::object placeholders() const { return {{"min", min}}; }
};
struct MaxLengthRule {
    static constexpr std::string_view key = "maxLength";
    std::int64_t max;
    bool holds(std::string_view text) const { return is_at_most(text, max); }
    boost::json::object placeholders() const { return {{"max", max}}; }
};
struct EmailRule {
    static constexpr std::string_view key = "isEmail";
    bool holds(std::string_view text) const { return canonical_email(text).has_value(); }
    boost::json::object placeholders() const { return {}; }
};
struct NameRule {
    static constexpr std::string_view key = "isName";
    bool holds(std::string_view text) const { return is_one_line_name(text); }
    boost::json::object placeholders() const { return {}; }
};
struct IdentitySubjectRule {
    static constexpr std::string_view key = "isIdentitySubject";
    bool holds(std::string_view text) const { return is_identity_subject(text); }
    boost::json::object placeholders() const { return {}; }
};
struct StrongPasswordRule {
    static constexpr std::string_view key = "isPassword";
    bool holds(std::string_view text) const { return has_all_classes(text); }
    boost::json::object placeholders() const { return {}; }
};

// Reports each rule that the value breaks.
template <class T, class... Rules>
void check_rules(const T& value, const std::tuple<Rules...>& rules, const PropertyPath& property, Report& report) {
    std::apply(
        [&](const auto&... rule) {
            ((rule.holds(value) ? void() : report.add(rule.key, property.text(), rule.placeholders())), ...);
        },
        rules);
}

}  // namespace consentry
