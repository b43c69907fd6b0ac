// The forms of a login.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "features/passwords/field_rules.hpp"
#include "features/two_factor/dto.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/parse.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct LoginForm {
    std::string email;
    std::string password;

    static constexpr std::array<std::string_view, 1> shown_again{"email"};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &LoginForm::email, "Email address", http::not_empty, http::email),
            field("password", &LoginForm::password, "Password", http::not_empty, sent_password_length),
        };
    }
};

// Whether a code point is one of the spaces and dashes that keyboards and other programs put into a code.
constexpr bool separates_groups(std::uint32_t c) {
    return c == ' ' || c == '-' || c == '\t' || c == 0xA0 || c == 0x3000 || c == 0xFF0D || (c >= 0x2010 && c <= 0x2015);
}

// Removes spaces and dashes from a code, and makes its letters uppercase: people read it in groups. Digits and letters
// of full width, which Japanese keyboards type, become those of ASCII.
inline std::string tidy_code(std::string_view typed) {
    constexpr std::uint32_t wide_begin = 0xFF01, wide_end = 0xFF5F, wide_offset = 0xFEE0;
    std::string out;
    while (!typed.empty()) {
        const auto [point, length] = first_code_point(typed);
        if (point >= wide_begin && point < wide_end && !separates_groups(point))
            out += static_cast<char>(point - wide_offset);
        else if (!separates_groups(point))
            out += typed.substr(0, length);
        typed.remove_prefix(length);
    }
    return to_upper_ascii(out);
}

inline void tidy_codes(std::vector<http::NamedText>& fields) {
    for (http::NamedText& field : fields)
        if (field.name == "code" || field.name == "backupCode") field.value = tidy_code(field.value);
}

struct VerifyForm {
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() { return proof_fields<VerifyForm>(code_description); }
    static void check(const VerifyForm& form, Report& report) { check_proof(form, report, true); }
    static void tidy(std::vector<http::NamedText>& fields) { tidy_codes(fields); }
};

struct LogoutForm {
    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() { return std::tuple{}; }
};

}  // namespace consentry
