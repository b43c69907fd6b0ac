// The validation rules of fields. A rule has a key (its wire name in `errors`, and its text at request.error.<key> in
// locales/*.json), checks a value, and describes itself in JSON Schema. base/text_rules.hpp holds the checks that
// features also use without a field.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/ascii.hpp"
#include "base/text_rules.hpp"

namespace consentry::http {

struct NotEmpty {
    static constexpr std::string_view key = "isNotEmpty";
    bool holds(std::string_view text) const { return !text.empty(); }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const {
        if (!schema.contains("minLength")) schema["minLength"] = 1;
    }
};
inline constexpr NotEmpty not_empty;

struct MinLength : MinLengthRule {
    void describe(boost::json::object& schema) const { schema["minLength"] = min; }
};
struct MaxLength : MaxLengthRule {
    void describe(boost::json::object& schema) const { schema["maxLength"] = max; }
};
constexpr MinLength min_length(std::int64_t min) { return {{min}}; }
constexpr MaxLength max_length(std::int64_t max) { return {{max}}; }

// The least and the greatest number that a field takes.
struct Min {
    static constexpr std::string_view key = "min";
    std::int64_t min;
    bool holds(std::int64_t number) const { return number >= min; }
    boost::json::object placeholders() const { return {{"min", min}}; }
    void describe(boost::json::object& schema) const { schema["minimum"] = min; }
};
struct Max {
    static constexpr std::string_view key = "max";
    std::int64_t max;
    bool holds(std::int64_t number) const { return number <= max; }
    boost::json::object placeholders() const { return {{"max", max}}; }
    void describe(boost::json::object& schema) const { schema["maximum"] = max; }
};
constexpr Min at_least(std::int64_t min) { return {min}; }
constexpr Max at_most(std::int64_t max) { return {max}; }

// An email address. Fields with this rule store its canonical spelling.
struct Email : EmailRule {
    void describe(boost::json::object& schema) const {
        schema["format"] = "email";
        schema["maxLength"] = 254;
    }
};
inline constexpr Email email;

struct Name : NameRule {
    // Whether the text may be empty is another rule.
    void describe(boost::json::object& schema) const { schema["pattern"] = "^$|\\S"; }
};
inline constexpr Name one_line_name;

struct StrongPassword : StrongPasswordRule {
    void describe(boost::json::object& schema) const { schema["format"] = "password"; }
};
inline constexpr StrongPassword strong_password;

// A code of an authenticator app: ASCII digits only.
struct TwoFactorCode {
    static constexpr std::string_view key = "isTwoFactorCode";
    std::size_t digits;
    bool holds(std::string_view text) const { return text.size() == digits && std::ranges::all_of(text, is_digit); }
    boost::json::object placeholders() const { return {{"length", digits}}; }
    void describe(boost::json::object& schema) const { schema["pattern"] = "^[0-9]{" + std::to_string(digits) + "}$"; }
};
inline constexpr TwoFactorCode two_factor_code{6};

struct BackupCode {
    static constexpr std::string_view key = "isTwoFactorBackupCode";
    std::size_t length;
    bool holds(std::string_view text) const {
        return text.size() == length &&
               std::ranges::all_of(text, [](char c) { return is_digit(c) || is_upper_letter(c); });
    }
    boost::json::object placeholders() const { return {{"length", length}}; }
    void describe(boost::json::object& schema) const {
        schema["pattern"] = "^[A-Z0-9]{" + std::to_string(length) + "}$";
    }
};
inline constexpr BackupCode backup_code{10};

struct Alphanumeric {
    static constexpr std::string_view key = "isAlphanumeric";
    bool holds(std::string_view text) const { return std::ranges::all_of(text, is_alphanumeric); }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { schema["pattern"] = "^[A-Za-z0-9]*$"; }
};
inline constexpr Alphanumeric alphanumeric;

// What holds for every value.
struct NoCheck {
    static constexpr std::string_view key = "";
    bool holds(const auto&) const { return true; }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object&) const {}
};

// A conversion rather than a check: lowercases A-Z while reading.
struct Lowered : NoCheck {};
inline constexpr Lowered lowered;

// These only tell the API document what check() of the DTO demands of a list. It reports a list that could not be read
// as an empty one, and each entry at its own place.
struct MinItems : NoCheck {
    std::size_t min;
    constexpr explicit MinItems(std::size_t given) : min(given) {}
    void describe(boost::json::object& schema) const { schema["minItems"] = min; }
};
struct MaxItems : NoCheck {
    std::size_t max;
    constexpr explicit MaxItems(std::size_t given) : max(given) {}
    void describe(boost::json::object& schema) const { schema["maxItems"] = max; }
};
struct UniqueItems : NoCheck {
    void describe(boost::json::object& schema) const { schema["uniqueItems"] = true; }
};
template <class Rule>
struct Entries : NoCheck {
    void describe(boost::json::object& schema) const { Rule{}.describe(schema.at("items").as_object()); }
};

}  // namespace consentry::http
