// Shapes of the second factor on the wire.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "features/two_factor/two_factor.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/report.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

enum class ProofMethod { code, backup_code };

}  // namespace consentry

template <>
struct consentry::http::EnumNames<consentry::ProofMethod> {
    static constexpr std::array names{std::pair{ProofMethod::code, std::string_view{"code"}},
                                      std::pair{ProofMethod::backup_code, std::string_view{"backupCode"}}};
};

namespace consentry {

// The rules that tie code, backupCode and method together, wherever a request carries them.
template <class Dto>
void check_proof(const Dto& dto, http::Report& report, bool required) {
    if (dto.code && dto.backup_code) report.add("isExclusive", "backupCode", {{"other", "code"}});
    if (required && !dto.code && !dto.backup_code) {
        report.add("isOneRequired", "code", {{"other", "backupCode"}});
        report.add("isOneRequired", "backupCode", {{"other", "code"}});
    }
    // A method that names what was not sent; a method alone is judged by the operation (it may not need a proof).
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
                  "For authenticator apps that are typed into: 32 base32 characters"),
            field("otpauthUrl", &TwoFactorSetupResponse::otpauth_url, "The same as a URL, usually shown as a QR code"),
        };
    }
};

struct TwoFactorEnableRequest {
    std::string code;

    static constexpr std::string_view schema_name = "UserTwoFactorEnableRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("code", &TwoFactorEnableRequest::code, "The authenticator app's current code",
                                http::two_factor_code)};
    }
};

struct BackupCodesResponse {
    std::vector<std::string> backup_codes;

    static constexpr std::string_view schema_name = "UserTwoFactorEnableResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("backupCodes", &BackupCodesResponse::backup_codes, "Eight codes, each good once; never shown again")};
    }
};

struct TwoFactorDisableRequest {
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserTwoFactorDisableRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("code", &TwoFactorDisableRequest::code, "A code of the authenticator app", http::two_factor_code),
            field("backupCode", &TwoFactorDisableRequest::backup_code, "Or a backup code", http::backup_code),
            field("method", &TwoFactorDisableRequest::method, "Which of the two is sent"),
        };
    }
    static void check(const TwoFactorDisableRequest& dto, http::Report& report) { check_proof(dto, report, false); }
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
            field("isEnabled", &TwoFactorStatusResponse::is_enabled, "Whether logins ask for a second factor"),
            field("isPendingConfirmation", &TwoFactorStatusResponse::is_pending_confirmation,
                  "Set up but not confirmed"),
            field("backupCodesRemaining", &TwoFactorStatusResponse::backup_codes_remaining, "Unspent backup codes"),
            field("confirmedAt", &TwoFactorStatusResponse::confirmed_at, "First confirmation"),
            field("lastUsedAt", &TwoFactorStatusResponse::last_used_at, "Last accepted code or backup code"),
        };
    }
};

struct UserPath {
    UserId user_id;

    static constexpr std::string_view schema_name = "UserPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("userId", &UserPath::user_id, "Of the account")};
    }
};

}  // namespace consentry
