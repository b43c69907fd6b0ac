// The forms of a login.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text.hpp"
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
            field("password", &LoginForm::password, "Password", http::not_empty, http::max_length(512)),
        };
    }
};

// Removes spaces and dashes from a code, and makes its letters uppercase: people read it in groups.
inline void tidy_codes(std::vector<http::NamedText>& fields) {
    for (http::NamedText& field : fields) {
        if (field.name != "code" && field.name != "backupCode") continue;
        std::erase_if(field.value, [](char c) { return c == ' ' || c == '-' || c == '\t'; });
        field.value = to_upper_ascii(field.value);
    }
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
