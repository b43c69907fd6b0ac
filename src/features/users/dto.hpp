// Wire formats of accounts, for their owners and administrators.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "features/users/consent.hpp"
#include "features/users/user.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct AccountPath {
    UserId user_id;

    static constexpr std::string_view schema_name = "AccountPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("userId", &AccountPath::user_id, "Account ID")};
    }
};

struct UserRoleResponse {
    RoleId id;
    std::string name;
    Role type = Role::user;

    static constexpr std::string_view schema_name = "UserRoleResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &UserRoleResponse::id, "Role ID"),
            field("name", &UserRoleResponse::name, "Unique name in lower case"),
            field("type", &UserRoleResponse::type, "Role type"),
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
            field("termsOfService", &UserTermPolicyResponse::terms_of_service,
                  "Whether the required terms of service are accepted"),
            field("privacy", &UserTermPolicyResponse::privacy, "Whether the required privacy policy is accepted"),
            field("marketing", &UserTermPolicyResponse::marketing,
                  "Whether the required marketing consent is accepted"),
            field("cookies", &UserTermPolicyResponse::cookies, "Whether the required cookie policy is accepted"),
        };
    }
};

// What a sign-up accepts; what it omits is not accepted.
std::vector<PolicyType> accepted_in(const auto& request) {
    std::vector<PolicyType> out;
    if (request.terms_of_service.value_or(false)) out.push_back(PolicyType::terms_of_service);
    if (request.privacy.value_or(false)) out.push_back(PolicyType::privacy);
    if (request.marketing.value_or(false)) out.push_back(PolicyType::marketing);
    if (request.cookies.value_or(false)) out.push_back(PolicyType::cookies);
    return out;
}

struct UserTwoFactorResponse {
    bool enabled = false;
    bool required_setup = false;
    std::optional<TimePoint> confirmed_at;

    static constexpr std::string_view schema_name = "UserTwoFactorResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("enabled", &UserTwoFactorResponse::enabled, "Whether two-factor authentication is on"),
            field("requiredSetup", &UserTwoFactorResponse::required_setup,
                  "Whether the next login requires a new setup"),
            field("confirmedAt", &UserTwoFactorResponse::confirmed_at, "Time of the first confirmation"),
        };
    }
};

// An account in lists, and where an answer names one.
struct UserListResponse {
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
    std::optional<TimePoint> last_login_at;
    TimePoint created_at;
    TimePoint updated_at;

    // `row` is a Profile, or the row of a list.
    static UserListResponse of(const auto& row, std::span<const PolicyType> accepted) {
        const UserSummary& user = row.user;
        return {.id = user.id,
                .name = user.name,
                .username = user.username,
                .email = user.email,
                .is_verified = user.is_verified,
                .verified_at = row.verified_at,
                .role_id = user.role_id,
                .role = {.id = user.role_id, .name = row.role_name, .type = user.role},
                .status = user.status,
                .term_policy = UserTermPolicyResponse::of(accepted),
                .language = user.language,
                .last_login_at = row.last_login_at,
                .created_at = user.created_at,
                .updated_at = row.updated_at};
    }

    static constexpr std::string_view schema_name = "UserListResponseDto";
    // Those with which a profile begins as well.
    static constexpr auto first_fields() {
        using http::field;
        return std::tuple{
            field("id", &UserListResponse::id, "Account ID"),
            field("name", &UserListResponse::name, "Display name"),
            field("username", &UserListResponse::username, "Unique username; generated unless it was imported"),
            field("email", &UserListResponse::email, "Email address in lower case"),
            field("isVerified", &UserListResponse::is_verified, "Whether the email address is verified"),
            field("verifiedAt", &UserListResponse::verified_at, "Verification time"),
            field("roleId", &UserListResponse::role_id, "Role ID"),
            field("role", &UserListResponse::role, "Role of the account"),
            field("status", &UserListResponse::status, "Account status; only `active` accounts can be used"),
            field("termPolicy", &UserListResponse::term_policy,
                  "Whether the required version of each policy type, or a later one, is accepted"),
            field("language", &UserListResponse::language, "Language of emails to the owner"),
        };
    }
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            first_fields(),
            std::tuple{
                field("lastLoginAt", &UserListResponse::last_login_at, "Time of the last successful login"),
                field("createdAt", &UserListResponse::created_at, "Creation time"),
                field("updatedAt", &UserListResponse::updated_at, "Time of the last change"),
            });
    }
};

struct UserProfileResponse : UserListResponse {
    std::optional<Gender> gender = {};
    TimePoint sign_up_at = {};
    SignUpFrom sign_up_from = SignUpFrom::system;
    LoginWith sign_up_with = LoginWith::credential;
    std::optional<std::string> last_ip_address = {};
    std::optional<LoginFrom> last_login_from = {};
    std::optional<LoginWith> last_login_with = {};
    std::optional<TimePoint> password_expired = {};
    std::optional<TimePoint> password_created = {};
    std::int64_t password_attempt = 0;
    UserTwoFactorResponse two_factor = {};

    static UserProfileResponse of(const Profile& profile, UserTwoFactorResponse two_factor,
                                  std::span<const PolicyType> accepted) {
        const User& user = profile.user;
        UserProfileResponse out{UserListResponse::of(profile, accepted)};
        out.gender = profile.gender;
        out.sign_up_at = profile.sign_up_at;
        out.sign_up_from = user.sign_up_from;
        out.sign_up_with = user.sign_up_with;
        out.last_ip_address = profile.last_ip_address;
        out.last_login_from = profile.last_login_from;
        out.last_login_with = profile.last_login_with;
        out.password_expired = user.password_expires_at;
        out.password_created = user.password_created_at;
        out.password_attempt = user.password_attempt;
        out.two_factor = two_factor;
        return out;
    }

    static constexpr std::string_view schema_name = "UserProfileResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            first_fields(),
            std::tuple{
                field("gender", &UserProfileResponse::gender, "Gender"),
                field("signUpAt", &UserProfileResponse::sign_up_at, "Sign-up time"),
                field("signUpFrom", &UserProfileResponse::sign_up_from, "Origin of the account"),
                field("signUpWith", &UserProfileResponse::sign_up_with, "Sign-up method"),
                field("lastLoginAt", &UserProfileResponse::last_login_at, "Time of the last successful login"),
                field("lastIPAddress", &UserProfileResponse::last_ip_address, "IP address of the last login"),
                field("lastLoginFrom", &UserProfileResponse::last_login_from, "Client type of the last login"),
                field("lastLoginWith", &UserProfileResponse::last_login_with, "Method of the last login"),
                field("passwordExpired", &UserProfileResponse::password_expired, "Password expiry time, if it expires"),
                field("passwordCreated", &UserProfileResponse::password_created, "Time when the password was set"),
                field("passwordAttempt", &UserProfileResponse::password_attempt,
                      "Failed password attempts since the last success"),
                field("twoFactor", &UserProfileResponse::two_factor, "Two-factor authentication"),
                field("createdAt", &UserProfileResponse::created_at, "Creation time"),
                field("updatedAt", &UserProfileResponse::updated_at, "Time of the last change"),
            });
    }
};

}  // namespace consentry
