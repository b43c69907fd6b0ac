// The forms by which people get an account, and get back into it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "features/passwords/dto.hpp"
#include "features/two_factor/dto.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"
#include "pages/login_forms.hpp"

namespace consentry {

struct SignUpForm {
    std::string email;
    std::string password;
    std::optional<std::string> name;

    static constexpr std::array<std::string_view, 2> shown_again{"email", "name"};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &SignUpForm::email, "Email address", http::not_empty, http::email),
            field("password", &SignUpForm::password, new_password_description, password_length_min, password_length_max,
                  password_classes),
            field("name", &SignUpForm::name, "Display name", http::one_line_name, http::max_length(100)),
        };
    }
};

// Asks for a link.
struct AddressForm {
    std::string email;

    static constexpr std::array<std::string_view, 1> shown_again{"email"};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("email", &AddressForm::email, "Email address", http::not_empty, http::email)};
    }
};

// Answers a link, which the path names.
struct NothingForm {
    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() { return std::tuple{}; }
};

struct ResetPasswordForm {
    std::string new_password;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("newPassword", &ResetPasswordForm::new_password, new_password_description, password_length_min,
                      password_length_max, password_classes),
            },
            proof_fields<ResetPasswordForm>(code_if_on_description));
    }
    static void check(const ResetPasswordForm& form, Report& report) { check_proof(form, report, false); }
    static void tidy(std::vector<http::NamedText>& fields) { tidy_codes(fields); }
};

struct ChangePasswordForm {
    std::string old_password;
    std::string new_password;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("oldPassword", &ChangePasswordForm::old_password, "Current password", http::not_empty,
                      sent_password_length),
                field("newPassword", &ChangePasswordForm::new_password, new_password_description, password_length_min,
                      password_length_max, password_classes),
            },
            proof_fields<ChangePasswordForm>(code_if_on_description));
    }
    static void check(const ChangePasswordForm& form, Report& report) { check_password_change(form, report); }
    static void tidy(std::vector<http::NamedText>& fields) { tidy_codes(fields); }
};

// Proves once more who is logged in.
struct ConfirmForm {
    std::optional<std::string> password;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("password", &ConfirmForm::password, "Current password", http::not_empty, sent_password_length),
            },
            proof_fields<ConfirmForm>(code_if_on_description));
    }
    static void check(const ConfirmForm& form, Report& report) {
        check_proof(form, report, !form.password);
        if (form.password && (form.code || form.backup_code))
            report.add("isExclusive", "password", {{"other", "code"}});
    }
    static void tidy(std::vector<http::NamedText>& fields) { tidy_codes(fields); }
};

struct SetUpForm {
    std::string code;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("code", &SetUpForm::code, code_description, http::two_factor_code)};
    }
    static void tidy(std::vector<http::NamedText>& fields) { tidy_codes(fields); }
};

}  // namespace consentry
