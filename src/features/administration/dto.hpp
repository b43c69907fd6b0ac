// Shapes of administration on the wire.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "features/administration/repository.hpp"
#include "features/sessions/dto.hpp"
#include "features/users/dto.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/report.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

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

    static UserListResponse of(const ListedUser& user, std::span<const PolicyType> accepted) {
        return {.id = user.id,
                .name = user.name,
                .username = user.username,
                .email = user.email,
                .is_verified = user.is_verified,
                .verified_at = user.verified_at,
                .role_id = user.role_id,
                .role = {.id = user.role_id, .name = user.role_name, .type = user.role},
                .status = user.status,
                .term_policy = UserTermPolicyResponse::of(accepted),
                .language = user.language,
                .last_login_at = user.last_login_at,
                .created_at = user.created_at,
                .updated_at = user.updated_at};
    }

    static constexpr std::string_view schema_name = "UserListResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &UserListResponse::id, "Of the account"),
            field("name", &UserListResponse::name, "As the owner wrote it"),
            field("username", &UserListResponse::username, "Unique"),
            field("email", &UserListResponse::email, "In small letters"),
            field("isVerified", &UserListResponse::is_verified, "Whether the address was proven to be the owner's"),
            field("verifiedAt", &UserListResponse::verified_at, "When it was"),
            field("roleId", &UserListResponse::role_id, "Of the role"),
            field("role", &UserListResponse::role, "What the account may do"),
            field("status", &UserListResponse::status, "Only an active account can be used"),
            field("termPolicy", &UserListResponse::term_policy, "What the owner has accepted"),
            field("language", &UserListResponse::language, "Of mails to the owner"),
            field("lastLoginAt", &UserListResponse::last_login_at, "When the last login succeeded"),
            field("createdAt", &UserListResponse::created_at, "When the account was made"),
            field("updatedAt", &UserListResponse::updated_at, "When it was changed last"),
        };
    }
};

// Roles are rows of each service: the filter takes the id of one, as role/list tells it.
struct UserListing {
    std::optional<std::vector<UserStatus>> status;
    std::optional<RoleId> role;

    static constexpr auto paging = http::Paging::offset;
    static constexpr auto filters() {
        return std::tuple{
            http::filter("status", &UserListing::status, "u.status", "Only accounts in these states"),
            http::filter("role", &UserListing::role, "u.role_id", "Only accounts of the role of this id")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "u.created_at"},
                                         http::Sortable{"email", "u.email", http::SortedAs::text},
                                         http::Sortable{"username", "u.username", http::SortedAs::text},
                                         http::Sortable{"name", "COALESCE(u.name, '')", http::SortedAs::text}};
    static constexpr std::array searchable{http::Searchable{"name", "u.name"},
                                           http::Searchable{"username", "u.username"},
                                           http::Searchable{"email", "u.email"}};
    static constexpr std::string_view id_column = "u.id";
    static constexpr std::string_view default_column = "u.created_at";
    static constexpr bool large = true;
};

// The same for other services: by cursor, through all there are.
struct SystemUserListing {
    std::optional<std::vector<UserStatus>> status;
    std::optional<RoleId> role;

    static constexpr auto paging = http::Paging::cursor;
    static constexpr auto filters() {
        return std::tuple{
            http::filter("status", &SystemUserListing::status, "u.status", "Only accounts in these states"),
            http::filter("role", &SystemUserListing::role, "u.role_id", "Only accounts of the role of this id")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "u.created_at"}};
    static constexpr auto searchable = UserListing::searchable;
    static constexpr std::string_view id_column = "u.id";
    static constexpr std::string_view default_column = "u.created_at";
};

// What the list is narrowed to, without its pages.
struct UserExportQuery {
    std::optional<std::string> status;
    std::optional<RoleId> role;
    std::optional<std::string> search;

    static constexpr std::string_view schema_name = "UserExportQuery";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("status", &UserExportQuery::status, "Only accounts in these states, with commas between"),
            field("role", &UserExportQuery::role, "Only accounts of the role of this id"),
            field("search", &UserExportQuery::search, "Only accounts with this in their name, username or email",
                  http::max_length(http::search_length_max)),
        };
    }
};

struct AccountPath {
    UserId user_id;

    static constexpr std::string_view schema_name = "AccountPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("userId", &AccountPath::user_id, "Of the account")};
    }
};

struct UserSessionPath {
    UserId user_id;
    SessionId session_id;

    static constexpr std::string_view schema_name = "UserSessionPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("userId", &UserSessionPath::user_id, "Of the account"),
                          field("sessionId", &UserSessionPath::session_id, "Of the session")};
    }
};

struct UserCreateRequest {
    std::string email;
    RoleId role_id;
    std::optional<std::string> name;
    std::optional<Language> language;

    static constexpr std::string_view schema_name = "UserCreateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &UserCreateRequest::email, "Kept in small letters; the temporary password is mailed to it",
                  http::not_empty, http::email),
            field("roleId", &UserCreateRequest::role_id, "Of a role within the own rights"),
            field("name", &UserCreateRequest::name, "Of the owner", http::min_length(1), http::one_line_name,
                  http::max_length(100)),
            field("language", &UserCreateRequest::language, "Of mails to the owner; else that of the request"),
        };
    }
};

struct UserCreateResponse {
    UserId id;

    static constexpr std::string_view schema_name = "UserCreateResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("id", &UserCreateResponse::id, "Of the new account")};
    }
};

struct UserStatusRequest {
    UserStatus status = UserStatus::active;

    static constexpr std::string_view schema_name = "UserStatusRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("status", &UserStatusRequest::status, "blocked is for good")};
    }
};

struct UserRoleRequest {
    RoleId role_id;

    static constexpr std::string_view schema_name = "UserRoleRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("roleId", &UserRoleRequest::role_id, "Of a role within the own rights")};
    }
};

struct UserSessionResponse {
    SessionId id;
    UserId user_id;
    LoginFrom login_from = LoginFrom::website;
    LoginWith login_with = LoginWith::credential;
    std::string ip_address;
    UserAgentResponse user_agent;
    std::optional<std::string> device_name;
    std::optional<std::string> device_platform;
    TimePoint created_at;
    TimePoint updated_at;
    TimePoint last_active_at;
    TimePoint expired_at;
    bool is_revoked = false;
    std::optional<TimePoint> revoked_at;

    static UserSessionResponse of(const ListedSession& session) {
        return {.id = session.id,
                .user_id = session.user,
                .login_from = session.from,
                .login_with = session.with,
                .ip_address = session.ip_address,
                .user_agent = UserAgentResponse::of(session.user_agent),
                .device_name = session.device_name,
                .device_platform = session.device_platform,
                .created_at = session.created_at,
                .updated_at = session.updated_at,
                .last_active_at = session.last_active_at,
                .expired_at = session.expires_at,
                .is_revoked = session.revoked_at.has_value(),
                .revoked_at = session.revoked_at};
    }

    static constexpr std::string_view schema_name = "UserSessionResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &UserSessionResponse::id, "For revoking"),
            field("userId", &UserSessionResponse::user_id, "Whose it is"),
            field("loginFrom", &UserSessionResponse::login_from, "Where the login came from"),
            field("loginWith", &UserSessionResponse::login_with, "How the owner proved who they are"),
            field("ipAddress", &UserSessionResponse::ip_address, "Address of the login"),
            field("userAgent", &UserSessionResponse::user_agent, "Client of the login"),
            field("deviceName", &UserSessionResponse::device_name, "As told by the client"),
            field("devicePlatform", &UserSessionResponse::device_platform, "As told by the client"),
            field("createdAt", &UserSessionResponse::created_at, "When it began"),
            field("updatedAt", &UserSessionResponse::updated_at, "When it was refreshed or ended last"),
            field("lastActiveAt", &UserSessionResponse::last_active_at,
                  "Its last refresh; for admins its last minute of use"),
            field("expiredAt", &UserSessionResponse::expired_at, "When it ends at the latest"),
            field("isRevoked", &UserSessionResponse::is_revoked, "Ended before its time"),
            field("revokedAt", &UserSessionResponse::revoked_at, "When it was"),
        };
    }
};

struct UserSessionListing {
    std::optional<bool> is_revoked;

    static constexpr auto paging = http::Paging::offset;
    static constexpr auto filters() {
        return std::tuple{http::filter("isRevoked", &UserSessionListing::is_revoked, "(revoked_at IS NOT NULL)",
                                       "Only those that were ended, or only the others")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"},
                                         http::Sortable{"updatedAt", "updated_at"}};
};

struct UserImportQuery {
    std::optional<bool> dry_run;

    static constexpr std::string_view schema_name = "UserImportQuery";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("dryRun", &UserImportQuery::dry_run, "Everything is checked and nothing imported")};
    }
};

struct UserImportResponse {
    std::int64_t rows = 0;
    std::int64_t imported = 0;

    static constexpr std::string_view schema_name = "UserImportResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("rows", &UserImportResponse::rows, "Of the file, without its first line"),
            field("imported", &UserImportResponse::imported, "Accounts that were made; with dryRun, that would be")};
    }
};

struct CheckUsernameRequest {
    std::string username;

    static constexpr std::string_view schema_name = "UserCheckUsernameRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("username", &CheckUsernameRequest::username, "Compared without case",
                                http::min_length(3), http::max_length(50), http::lowered)};
    }
};

struct CheckUsernameResponse {
    bool bad_word = false;
    bool exist = false;
    bool pattern = false;

    static constexpr std::string_view schema_name = "UserCheckUsernameResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("badWord", &CheckUsernameResponse::bad_word, "Always false: words are not judged"),
            field("exist", &CheckUsernameResponse::exist, "Somebody has it"),
            field("pattern", &CheckUsernameResponse::pattern,
                  "It holds something else than letters, digits, dashes and underscores"),
        };
    }
};

struct CheckEmailRequest {
    std::string email;

    static constexpr std::string_view schema_name = "UserCheckEmailRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &CheckEmailRequest::email, "Compared without case", http::not_empty, http::email)};
    }
};

struct CheckEmailResponse {
    bool bad_word = false;
    bool exist = false;

    static constexpr std::string_view schema_name = "UserCheckEmailResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("badWord", &CheckEmailResponse::bad_word, "Always false: words are not judged"),
            field("exist", &CheckEmailResponse::exist, "Somebody has it"),
        };
    }
};

}  // namespace consentry
