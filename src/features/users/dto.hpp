// Shapes of accounts on the wire, as their owners and administrators see them.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "features/users/consent.hpp"
#include "features/users/user.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct UserRoleResponse {
    RoleId id;
    std::string name;
    Role type = Role::user;

    static constexpr std::string_view schema_name = "UserRoleResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &UserRoleResponse::id, "Of the role"),
            field("name", &UserRoleResponse::name, "Unique, in small letters"),
            field("type", &UserRoleResponse::type, "What the service asks of those who have it"),
        };
    }
};

struct UserTermPolicyResponse {
    bool terms_of_service = false;
    bool privacy = false;
    bool marketing = false;
    bool cookies = false;

    static UserTermPolicyResponse of(std::span<const PolicyType> accepted) {
        const auto has = [&](PolicyType type) { return std::ranges::find(accepted, type) != accepted.end(); };
        return {.terms_of_service = has(PolicyType::terms_of_service),
                .privacy = has(PolicyType::privacy),
                .marketing = has(PolicyType::marketing),
                .cookies = has(PolicyType::cookies)};
    }

    static constexpr std::string_view schema_name = "UserTermPolicyResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("termsOfService", &UserTermPolicyResponse::terms_of_service, "Accepted in their latest version"),
            field("privacy", &UserTermPolicyResponse::privacy, "Accepted in its latest version"),
            field("marketing", &UserTermPolicyResponse::marketing, "Accepted in its latest version"),
            field("cookies", &UserTermPolicyResponse::cookies, "Accepted in their latest version"),
        };
    }
};

struct UserTwoFactorResponse {
    bool enabled = false;
    bool required_setup = false;
    std::optional<TimePoint> confirmed_at;

    static constexpr std::string_view schema_name = "UserTwoFactorResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("enabled", &UserTwoFactorResponse::enabled, "Whether logins ask for a second factor"),
            field("requiredSetup", &UserTwoFactorResponse::required_setup, "It must be set up anew at the next login"),
            field("confirmedAt", &UserTwoFactorResponse::confirmed_at, "First confirmation"),
        };
    }
};

struct UserProfileResponse {
    UserId id;
    std::optional<std::string> name;
    std::string username;
    std::string email;
    bool is_verified = false;
    std::optional<TimePoint> verified_at;
    RoleId role_id;
    UserRoleResponse role;
    UserStatus status = UserStatus::active;
    UserTermPolicyResponse term_policy;
    Language language = Language::en;
    std::optional<Gender> gender;
    TimePoint sign_up_at;
    SignUpFrom sign_up_from = SignUpFrom::system;
    LoginWith sign_up_with = LoginWith::credential;
    std::optional<TimePoint> last_login_at;
    std::optional<std::string> last_ip_address;
    std::optional<LoginFrom> last_login_from;
    std::optional<LoginWith> last_login_with;
    std::optional<TimePoint> password_expired;
    std::optional<TimePoint> password_created;
    std::int64_t password_attempt = 0;
    UserTwoFactorResponse two_factor;
    TimePoint created_at;
    TimePoint updated_at;

    static UserProfileResponse of(const Profile& profile, std::string role_name, UserTwoFactorResponse two_factor,
                                  std::span<const PolicyType> accepted) {
        const User& user = profile.user;
        return {.id = user.id,
                .name = user.name,
                .username = user.username,
                .email = user.email,
                .is_verified = user.is_verified,
                .verified_at = profile.verified_at,
                .role_id = user.role_id,
                .role = {.id = user.role_id, .name = std::move(role_name), .type = user.role},
                .status = user.status,
                .term_policy = UserTermPolicyResponse::of(accepted),
                .language = user.language,
                .gender = profile.gender,
                .sign_up_at = profile.sign_up_at,
                .sign_up_from = user.sign_up_from,
                .sign_up_with = user.sign_up_with,
                .last_login_at = profile.last_login_at,
                .last_ip_address = profile.last_ip_address,
                .last_login_from = profile.last_login_from,
                .last_login_with = profile.last_login_with,
                .password_expired = user.password_expires_at,
                .password_created = user.password_created_at,
                .password_attempt = user.password_attempt,
                .two_factor = two_factor,
                .created_at = user.created_at,
                .updated_at = profile.updated_at};
    }

    static constexpr std::string_view schema_name = "UserProfileResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &UserProfileResponse::id, "Of the account"),
            field("name", &UserProfileResponse::name, "As the owner wrote it"),
            field("username", &UserProfileResponse::username, "Unique; made by the service"),
            field("email", &UserProfileResponse::email, "In small letters"),
            field("isVerified", &UserProfileResponse::is_verified, "Whether the address was proven to be the owner's"),
            field("verifiedAt", &UserProfileResponse::verified_at, "When it was"),
            field("roleId", &UserProfileResponse::role_id, "Of the role"),
            field("role", &UserProfileResponse::role, "What the account may do"),
            field("status", &UserProfileResponse::status, "Only an active account can be used"),
            field("termPolicy", &UserProfileResponse::term_policy, "What the owner has accepted"),
            field("language", &UserProfileResponse::language, "Of mails to the owner"),
            field("gender", &UserProfileResponse::gender, "As the owner told it"),
            field("signUpAt", &UserProfileResponse::sign_up_at, "When the account was made"),
            field("signUpFrom", &UserProfileResponse::sign_up_from, "Where from, or by whom"),
            field("signUpWith", &UserProfileResponse::sign_up_with, "How the owner proved who they are"),
            field("lastLoginAt", &UserProfileResponse::last_login_at, "When the last login succeeded"),
            field("lastIPAddress", &UserProfileResponse::last_ip_address, "Address of the last login"),
            field("lastLoginFrom", &UserProfileResponse::last_login_from, "Where the last login came from"),
            field("lastLoginWith", &UserProfileResponse::last_login_with, "How it was proven"),
            field("passwordExpired", &UserProfileResponse::password_expired, "When the password ends, if it does"),
            field("passwordCreated", &UserProfileResponse::password_created, "When the password was set"),
            field("passwordAttempt", &UserProfileResponse::password_attempt,
                  "Wrong passwords since the last right one"),
            field("twoFactor", &UserProfileResponse::two_factor, "The second factor"),
            field("createdAt", &UserProfileResponse::created_at, "When the account was made"),
            field("updatedAt", &UserProfileResponse::updated_at, "When it was changed last"),
        };
    }
};

}  // namespace consentry
