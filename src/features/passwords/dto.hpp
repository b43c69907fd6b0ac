// Wire formats of passwords.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "features/passwords/field_rules.hpp"
#include "features/two_factor/dto.hpp"

namespace consentry {

// Validates the fields of a password change against each other, in every request that carries them.
template <class Dto>
void check_password_change(const Dto& dto, Report& report) {
    check_proof(dto, report, false);
    if (!dto.new_password.empty() && dto.new_password == dto.old_password)
        report.add("isDifferentFrom", "newPassword", {{"other", "oldPassword"}});
}

struct ChangePasswordRequest {
    std::string new_password;
    std::string old_password;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserChangePasswordRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("newPassword", &ChangePasswordRequest::new_password, new_password_description,
                      password_length_min, password_length_max, password_classes),
                field("oldPassword", &ChangePasswordRequest::old_password, "Current password", http::not_empty,
                      sent_password_length),
            },
            proof_fields<ChangePasswordRequest>(code_if_on_description));
    }
    static std::vector<ChangePasswordRequest> examples() {
        return {{.new_password = "Copper-Meadow-77",
                 .old_password = "Velvet-Harbor-42",
                 .code = "492039",
                 .backup_code = {},
                 .method = {}}};
    }
    static void check(const ChangePasswordRequest& dto, Report& report) { check_password_change(dto, report); }
};

struct ConfirmSessionRequest {
    std::optional<std::string> password;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserSessionConfirmRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("password", &ConfirmSessionRequest::password,
                      "Current password, if two-factor authentication is off", http::not_empty, sent_password_length),
            },
            proof_fields<ConfirmSessionRequest>(code_if_on_description));
    }
    static std::vector<ConfirmSessionRequest> examples() {
        return {{.password = "Velvet-Harbor-42", .code = {}, .backup_code = {}, .method = {}},
                {.password = {}, .code = "492039", .backup_code = {}, .method = {}}};
    }
    static void check(const ConfirmSessionRequest& dto, Report& report) {
        check_proof(dto, report, !dto.password);
        if (!dto.password && !dto.code && !dto.backup_code)
            report.add("isOneRequired", "password", {{"other", "code"}});
        if (dto.password && (dto.code || dto.backup_code)) report.add("isExclusive", "password", {{"other", "code"}});
    }
};

}  // namespace consentry
