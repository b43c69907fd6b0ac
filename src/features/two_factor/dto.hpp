// Wire formats of the second factor.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/report.hpp"
#include "features/two_factor/two_factor.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

enum class ProofMethod { code, backup_code };

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::ProofMethod> {
    static constexpr std::array names{std::pair{ProofMethod::code, std::string_view{"code"}},
                                      std::pair{ProofMethod::backup_code, std::string_view{"backupCode"}}};
};

namespace consentry {

inline constexpr std::string_view code_description = "Code from the authenticator app";
inline constexpr std::string_view code_if_on_description =
    "Code from the authenticator app; required if two-factor authentication is on, unless `backupCode` is sent";

// The fields of a second factor, for the table of every request that carries one.
template <class Dto>
constexpr auto proof_fields(std::string_view description_of_code) {
    using http::field;
    return std::tuple{
        field("code", &Dto::code, description_of_code, http::two_factor_code),
        field("backupCode", &Dto::backup_code, "Backup code, instead of `code`", http::backup_code),
        field("method", &Dto::method, "Which of `code` and `backupCode` is sent"),
    };
}

// Validates code, backupCode and method against each other, in every request that carries them.
template <class Dto>
void check_proof(const Dto& dto, Report& report, bool required) {
    if (dto.code && dto.backup_code) report.add("isExclusive", "backupCode", {{"other", "code"}});
    if (required && !dto.code && !dto.backup_code) {
        report.add("isOneRequired", "code", {{"other", "backupCode"}});
        report.add("isOneRequired", "backupCode", {{"other", "code"}});
    }
    // The method must match the proof sent. A method without a proof is left to the operation, which may not need one.
    const bool any = dto.code || dto.backup_code;
    if (dto.method && any && (*dto.method == ProofMethod::code) != dto.code.has_value())
        report.add("isMatching", "method");
}

template <class Dto>
Proof proof_of(const Dto& dto) {
    return {dto.code, dto.backup_code};
}

struct TwoFactorSetupResponse {
    std::string secret;
    std::string otpauth_url;

    static constexpr std::string_view schema_name = "UserTwoFactorSetupResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("secret", &TwoFactorSetupResponse::secret,
                  "Secret to type into an authenticator app: 32 base32 characters"),
            field("otpauthUrl", &TwoFactorSetupResponse::otpauth_url,
                  "The secret as an otpauth URL, usually shown as a QR code"),
        };
    }
};

struct TwoFactorEnableRequest {
    std::string code;

    static constexpr std::string_view schema_name = "UserTwoFactorEnableRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("code", &TwoFactorEnableRequest::code, "Current code from the authenticator app",
                                http::two_factor_code)};
    }
};

struct BackupCodesResponse {
    std::vector<std::string> backup_codes;

    static constexpr std::string_view schema_name = "UserTwoFactorEnableResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("backupCodes", &BackupCodesResponse::backup_codes,
                                "Eight backup codes; each works once, and they are never shown again")};
    }
};

struct TwoFactorDisableRequest {
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserTwoFactorDisableRequestDto";
    static constexpr auto fields() { return proof_fields<TwoFactorDisableRequest>(code_description); }
    static void check(const TwoFactorDisableRequest& dto, Report& report) { check_proof(dto, report, false); }
    static std::vector<TwoFactorDisableRequest> examples() {
        return {{.code = "492039", .backup_code = {}, .method = {}},
                {.code = {}, .backup_code = "7K2M9QX4TB", .method = {}}};
    }
};

struct TwoFactorStatusResponse {
    bool is_enabled = false;
    bool is_pending_confirmation = false;
    std::int64_t backup_codes_remaining = 0;
    std::optional<TimePoint> confirmed_at;
    std::optional<TimePoint> last_used_at;

    static constexpr std::string_view schema_name = "UserTwoFactorStatusResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("isEnabled", &TwoFactorStatusResponse::is_enabled, "Whether two-factor authentication is on"),
            field("isPendingConfirmation", &TwoFactorStatusResponse::is_pending_confirmation,
                  "Whether a setup awaits its first code"),
            field("backupCodesRemaining", &TwoFactorStatusResponse::backup_codes_remaining,
                  "Number of unused backup codes"),
            field("confirmedAt", &TwoFactorStatusResponse::confirmed_at, "Time of the first confirmation"),
            field("lastUsedAt", &TwoFactorStatusResponse::last_used_at,
                  "Time of the last accepted code or backup code"),
        };
    }
};

}  // namespace consentry
