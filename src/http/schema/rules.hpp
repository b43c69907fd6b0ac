// The rules a field may carry. A rule has a key (its name on the wire, in `errors` and in locales/*.json under
// request.error.<key>), says whether a value keeps it, and describes itself in JSON Schema.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/text.hpp"

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

// Lengths count code points, not bytes (PWD-3).
struct MinLength {
    static constexpr std::string_view key = "minLength";
    std::int64_t min;
    bool holds(std::string_view text) const { return static_cast<std::int64_t>(code_points(text).value_or(0)) >= min; }
    boost::json::object placeholders() const { return {{"min", min}}; }
    void describe(boost::json::object& schema) const { schema["minLength"] = min; }
};
struct MaxLength {
    static constexpr std::string_view key = "maxLength";
    std::int64_t max;
    bool holds(std::string_view text) const { return static_cast<std::int64_t>(code_points(text).value_or(0)) <= max; }
    boost::json::object placeholders() const { return {{"max", max}}; }
    void describe(boost::json::object& schema) const { schema["maxLength"] = max; }
};
constexpr MinLength min_length(std::int64_t min) { return {min}; }
constexpr MaxLength max_length(std::int64_t max) { return {max}; }

// Numbers of queries.
struct Between {
    static constexpr std::string_view key = "isInRange";
    std::int64_t min;
    std::int64_t max;
    bool holds(std::int64_t number) const { return number >= min && number <= max; }
    boost::json::object placeholders() const { return {{"min", min}, {"max", max}}; }
    void describe(boost::json::object& schema) const {
        schema["minimum"] = min;
        schema["maximum"] = max;
    }
};
constexpr Between between(std::int64_t min, std::int64_t max) { return {min, max}; }

// The one spelling of an address that is stored and compared (INP-7): without blanks around it; before the '@' at most
// 64 ASCII letters, digits, '-', '_', '.', '+'; a domain of at least two labels, the last of letters; all in lower
// case. Labels of other scripts are accepted as IDNA2008 takes them, and become A-labels ("xn--..."). nullopt: no
// address.
std::optional<std::string> canonical_email(std::string_view text);

// An address. Fields with this rule read its canonical spelling.
struct Email {
    static constexpr std::string_view key = "isEmail";
    bool holds(std::string_view text) const { return canonical_email(text).has_value(); }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const {
        schema["format"] = "email";
        schema["maxLength"] = 254;
    }
};
inline constexpr Email email;

// What people call somebody or something: one line with something to be seen in it, and nothing in it that hides text,
// reorders it, or makes a terminal do something. Length, and whether it may be empty, are rules of their own.
struct Name {
    static constexpr std::string_view key = "isName";
    bool holds(std::string_view text) const;
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { schema["pattern"] = "\\S"; }
};
inline constexpr Name one_line_name;

// Upper, lower and digit; length and commonness are rules of their own.
struct StrongPassword {
    static constexpr std::string_view key = "isPassword";
    bool holds(std::string_view text) const {
        const auto any = [&](char from, char to) {
            return std::ranges::any_of(text, [&](char c) { return c >= from && c <= to; });
        };
        return any('A', 'Z') && any('a', 'z') && any('0', '9');
    }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { schema["format"] = "password"; }
};
inline constexpr StrongPassword strong_password;

// A code of an authenticator app: ASCII digits and nothing else.
struct TwoFactorCode {
    static constexpr std::string_view key = "isTwoFactorCode";
    std::size_t digits;
    bool holds(std::string_view text) const {
        return text.size() == digits && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    }
    boost::json::object placeholders() const { return {{"length", digits}}; }
    void describe(boost::json::object& schema) const { schema["pattern"] = "^[0-9]{" + std::to_string(digits) + "}$"; }
};
inline constexpr TwoFactorCode two_factor_code{6};

struct BackupCode {
    static constexpr std::string_view key = "isTwoFactorBackupCode";
    std::size_t length;
    bool holds(std::string_view text) const {
        return text.size() == length &&
               std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
    }
    boost::json::object placeholders() const { return {{"length", length}}; }
    void describe(boost::json::object& schema) const {
        schema["pattern"] = "^[A-Z0-9]{" + std::to_string(length) + "}$";
    }
};
inline constexpr BackupCode backup_code{10};

// ASCII letters and digits.
struct Alphanumeric {
    static constexpr std::string_view key = "isAlphanumeric";
    bool holds(std::string_view text) const {
        return std::ranges::all_of(
            text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { schema["pattern"] = "^[A-Za-z0-9]*$"; }
};
inline constexpr Alphanumeric alphanumeric;

// Not a rule that can be broken: letters A-Z are lowered while reading.
struct Lowered {
    static constexpr std::string_view key = "";
    bool holds(std::string_view) const { return true; }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object&) const {}
};
inline constexpr Lowered lowered;

}  // namespace consentry::http
