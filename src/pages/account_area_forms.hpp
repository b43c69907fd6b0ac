// The forms by which people manage their account.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "features/consent_log/entry.hpp"
#include "features/two_factor/dto.hpp"
#include "features/users/consent.hpp"
#include "features/users/user.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"
#include "pages/form_fields.hpp"
#include "pages/login_forms.hpp"

namespace consentry {

struct SessionForm {
    SessionId session;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("session", &SessionForm::session, "Session ID")};
    }
};

struct WithdrawalForm {
    PolicyType policy = PolicyType::marketing;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("policy", &WithdrawalForm::policy, "Policy type")};
    }
};

// Names an acceptance or withdrawal, whose receipt or proof is wanted.
struct EvidenceForm {
    AcceptanceId acceptance;

    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("acceptance", &EvidenceForm::acceptance, "ID of the acceptance")};
    }
};

struct ProfileForm {
    std::optional<std::string> name;
    std::optional<Language> mail_language;
    std::optional<Gender> gender;

    static constexpr std::array<std::string_view, 3> shown_again{"name", "mailLanguage", "gender"};
    static constexpr std::array<FieldOptions, 2> options{{{"mailLanguage", "languages"}, {"gender", "genders"}}};
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("name", &ProfileForm::name, "Display name", http::not_empty, http::one_line_name,
                  http::max_length(100)),
            field("mailLanguage", &ProfileForm::mail_language, "Language of emails"),
            field("gender", &ProfileForm::gender, "Gender"),
        };
    }
};

struct DeletionForm {
    std::string email;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::array<std::string_view, 1> shown_again{"email"};
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{field("email", &DeletionForm::email, "Email address", http::not_empty, http::email)},
            proof_fields<DeletionForm>(code_if_on_description));
    }
    static void check(const DeletionForm& form, Report& report) { check_proof(form, report, false); }
    static void tidy(std::vector<http::NamedText>& fields) { tidy_codes(fields); }
};

}  // namespace consentry
