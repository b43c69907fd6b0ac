// Request and response types of the login endpoints.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "features/login/login.hpp"
#include "features/passwords/field_rules.hpp"
#include "features/sessions/dto.hpp"
#include "features/two_factor/dto.hpp"

namespace consentry {

enum class DevicePlatform { ios, android, web };

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::DevicePlatform> {
    static constexpr std::array names{std::pair{DevicePlatform::ios, std::string_view{"ios"}},
                                      std::pair{DevicePlatform::android, std::string_view{"android"}},
                                      std::pair{DevicePlatform::web, std::string_view{"web"}}};
};

namespace consentry {

struct DeviceRequest {
    std::string fingerprint;
    std::optional<std::string> name;
    std::optional<DevicePlatform> platform;

    static constexpr std::string_view schema_name = "DeviceRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("fingerprint", &DeviceRequest::fingerprint, "Device identifier chosen by the client", http::not_empty,
                  http::max_length(200)),
            field("name", &DeviceRequest::name, "Device name that the owner recognizes", http::one_line_name,
                  http::max_length(100)),
            field("platform", &DeviceRequest::platform, "Device platform"),
        };
    }
};

// The origin of a login that starts with this request.
inline Origin origin_of(const http::RequestContext& context, LoginFrom from, LoginWith with,
                        const std::optional<DeviceRequest>& device) {
    Origin origin;
    origin.from = from;
    origin.with = with;
    origin.ip_address = context.client_address();
    origin.user_agent = context.user_agent();
    if (device) {
        std::optional<std::string> platform;
        if (device->platform) platform = name_of(*device->platform);
        origin.device = Device{device->fingerprint, device->name, std::move(platform)};
    }
    return origin;
}

struct LoginCredentialRequest {
    std::string email;
    std::string password;
    LoginFrom from = LoginFrom::website;
    std::optional<DeviceRequest> device;

    static constexpr std::string_view schema_name = "UserLoginCredentialRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &LoginCredentialRequest::email, "Email address; case-insensitive", http::not_empty,
                  http::email),
            field("password", &LoginCredentialRequest::password, "Password", http::not_empty, sent_password_length),
            field("from", &LoginCredentialRequest::from, "Client type"),
            field("device", &LoginCredentialRequest::device, "Device; stored with the session"),
        };
    }
};

struct VerifyLoginRequest {
    std::string challenge_token;
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    std::optional<ProofMethod> method;

    static constexpr std::string_view schema_name = "UserTwoFactorVerifyLoginRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("challengeToken", &VerifyLoginRequest::challenge_token, "Challenge token from the login response",
                      http::not_empty, http::max_length(256)),
            },
            proof_fields<VerifyLoginRequest>(code_description));
    }
    static void check(const VerifyLoginRequest& dto, Report& report) { check_proof(dto, report, true); }
    static std::vector<VerifyLoginRequest> examples() {
        const std::string challenge = "rT0o3y1xXn4kq0m5bC7aPz";
        return {{.challenge_token = challenge, .code = "492039", .backup_code = {}, .method = {}},
                {.challenge_token = challenge, .code = {}, .backup_code = "7K2M9QX4TB", .method = {}}};
    }
};

struct EnableAtLoginRequest {
    std::string challenge_token;
    std::string code;

    static constexpr std::string_view schema_name = "UserTwoFactorEnableLoginRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("challengeToken", &EnableAtLoginRequest::challenge_token, "Challenge token from the login response",
                  http::not_empty, http::max_length(256)),
            field("code", &EnableAtLoginRequest::code, code_description, http::two_factor_code),
        };
    }
};

struct LoginResponse {
    bool is_two_factor_required = false;
    std::optional<TokenResponse> tokens;
    std::optional<bool> must_change_password;
    std::optional<std::string> challenge_token;
    std::optional<std::int64_t> challenge_expires_in;
    std::optional<std::int64_t> backup_codes_remaining;
    std::optional<bool> is_required_setup;
    std::optional<std::string> secret;
    std::optional<std::string> otpauth_url;

    static constexpr std::string_view schema_name = "UserLoginResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("isTwoFactorRequired", &LoginResponse::is_two_factor_required,
                  "Whether the login needs a second step"),
            field("tokens", &LoginResponse::tokens, "Tokens of the new session"),
            field("mustChangePassword", &LoginResponse::must_change_password,
                  "The password is temporary: the tokens only allow a password change, a refresh and a logout"),
            field("challengeToken", &LoginResponse::challenge_token, "Challenge token for the second step"),
            field("challengeExpiresIn", &LoginResponse::challenge_expires_in,
                  "Lifetime of the challenge in milliseconds"),
            field("backupCodesRemaining", &LoginResponse::backup_codes_remaining, "Number of unused backup codes"),
            field("isRequiredSetup", &LoginResponse::is_required_setup,
                  "Whether the user must set up two-factor authentication first"),
            field("secret", &LoginResponse::secret, "Secret for the authenticator app: 32 base32 characters"),
            field("otpauthUrl", &LoginResponse::otpauth_url,
                  "The secret as an otpauth URL, usually shown as a QR code"),
        };
    }

    static std::vector<http::Shape> shapes() {
        return {{.schema_name = "UserLoginTokensResponseDto",
                 .description = "The login is complete.",
                 .fields = {{.name = "isTwoFactorRequired", .constant = false},
                            {.name = "tokens"},
                            {.name = "mustChangePassword", .constant = true, .required = false}}},
                {.schema_name = "UserLoginChallengeResponseDto",
                 .description = "The account has two-factor authentication: send a code for the challenge.",
                 .fields = {{.name = "isTwoFactorRequired", .constant = true},
                            {.name = "challengeToken"},
                            {.name = "challengeExpiresIn"},
                            {.name = "backupCodesRemaining"},
                            {.name = "isRequiredSetup", .constant = false, .required = false}}},
                {.schema_name = "UserLoginSetupResponseDto",
                 .description = "The user must set up two-factor authentication before the login can continue.",
                 .fields = {{.name = "isTwoFactorRequired", .constant = true},
                            {.name = "challengeToken"},
                            {.name = "challengeExpiresIn"},
                            {.name = "backupCodesRemaining"},
                            {.name = "isRequiredSetup", .constant = true},
                            {.name = "secret"},
                            {.name = "otpauthUrl"}}}};
    }

    // One example of each variant.
    static std::vector<LoginResponse> examples() {
        LoginResponse done;
        done.tokens = TokenResponse{.token_type = "Bearer",
                                    .role_type = Role::user,
                                    .expires_in = 3'600,
                                    .access_token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl",
                                    .refresh_token = "eyJhbGciOiJFUzUxMiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl"};
        LoginResponse challenged;
        challenged.is_two_factor_required = true;
        challenged.challenge_token = "rT0o3y1xXn4kq0m5bC7aPz";
        challenged.challenge_expires_in = challenge_ttl.count();
        challenged.backup_codes_remaining = 8;
        LoginResponse set_up = challenged;
        set_up.backup_codes_remaining = 0;
        set_up.is_required_setup = true;
        set_up.secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
        set_up.otpauth_url =
            "otpauth://totp/Consentry:ada%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Consentry";
        return {done, challenged, set_up};
    }

    static LoginResponse of(LoginAnswer answer) {
        LoginResponse out;
        out.is_two_factor_required = !answer.grant;
        if (answer.grant) {
            out.tokens = TokenResponse::of(answer.grant->tokens.value(), answer.role);
            if (answer.must_change_password) out.must_change_password = true;
            return out;
        }
        out.challenge_token = std::move(answer.challenge);
        out.challenge_expires_in = challenge_ttl.count();
        out.backup_codes_remaining = answer.backup_codes_remaining;
        if (answer.setup) {
            out.is_required_setup = true;
            out.secret = std::move(answer.setup->secret);
            out.otpauth_url = std::move(answer.setup->otpauth_url);
        }
        return out;
    }
};

}  // namespace consentry
