// Request and response types of the administration endpoints.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/report.hpp"
#include "features/administration/repository.hpp"
#include "features/sessions/dto.hpp"
#include "features/users/dto.hpp"
#include "features/users/generations.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

// Roles are rows of the database: the filter takes a role's id as returned by role/list.
struct UserListing {
    std::optional<std::vector<UserStatus>> status;
    std::optional<RoleId> role;

    static constexpr auto paging = http::Paging::offset;
    static constexpr auto filters() {
        return std::tuple{http::filter("status", &UserListing::status, "u.status", "Account statuses to include"),
                          http::filter("role", &UserListing::role, "u.role_id", "Role ID of the accounts to include")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "u.created_at"},
                                         http::Sortable{"email", "u.email", http::SortedAs::text},
                                         http::Sortable{"username", "u.username", http::SortedAs::text},
                                         http::Sortable{"name", "COALESCE(u.name, '')", http::SortedAs::text}};
    static constexpr std::array searchable{http::Searchable{"name", "u.name"},
                                           http::Searchable{"username", "u.username"},
                                           http::Searchable{"email", "u.email", http::SearchedAs::email}};
    static constexpr std::string_view id_column = "u.id";
    static constexpr std::string_view default_column = "u.created_at";
    static constexpr bool large = true;
};

// The same list for other services: paged by cursor, over all accounts.
struct SystemUserListing {
    std::optional<std::vector<UserStatus>> status;
    std::optional<RoleId> role;

    static constexpr auto paging = http::Paging::cursor;
    static constexpr auto filters() {
        return std::tuple{
            http::filter("status", &SystemUserListing::status, "u.status", "Account statuses to include"),
            http::filter("role", &SystemUserListing::role, "u.role_id", "Role ID of the accounts to include")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "u.created_at"}};
    static constexpr auto searchable = UserListing::searchable;
    static constexpr std::string_view id_column = "u.id";
    static constexpr std::string_view default_column = "u.created_at";
};

// The filters of the list, without paging.
struct UserExportQuery {
    std::optional<std::string> status;
    std::optional<std::string> role;
    std::optional<std::string> search;

    static constexpr std::string_view schema_name = "UserExportQuery";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("status", &UserExportQuery::status, "Account statuses to include, separated by commas"),
            field("role", &UserExportQuery::role, "Role ID of the accounts to include"),
            field("search", &UserExportQuery::search, "Text to find in name, username or email",
                  http::max_length(http::search_length_max)),
        };
    }
};

struct UserSessionPath {
    UserId user_id;
    SessionId session_id;

    static constexpr std::string_view schema_name = "UserSessionPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("userId", &UserSessionPath::user_id, "Account ID"),
                          field("sessionId", &UserSessionPath::session_id, "Session ID")};
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
            field("email", &UserCreateRequest::email,
                  "Email address; stored in lower case, receives the temporary password", http::not_empty, http::email),
            field("roleId", &UserCreateRequest::role_id, "Role ID; the caller needs every ability of the role"),
            field("name", &UserCreateRequest::name, "Display name", http::min_length(1), http::one_line_name,
                  http::max_length(100)),
            field("language", &UserCreateRequest::language,
                  "Language of emails to the owner; default: the language of the request"),
        };
    }
};

struct UserCreateResponse {
    UserId id;

    static constexpr std::string_view schema_name = "UserCreateResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("id", &UserCreateResponse::id, "Account ID")};
    }
};

struct UserStatusRequest {
    UserStatus status = UserStatus::active;

    static constexpr std::string_view schema_name = "UserStatusRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("status", &UserStatusRequest::status, "New status; only the operator can unblock a blocked account")};
    }
};

struct UserRoleRequest {
    RoleId role_id;

    static constexpr std::string_view schema_name = "UserRoleRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("roleId", &UserRoleRequest::role_id, "Role ID; the caller needs every ability of the role")};
    }
};

struct UserSessionResponse : SessionFields {
    std::optional<TimePoint> revoked_at = {};

    static UserSessionResponse of(const ListedSession& listed) {
        UserSessionResponse out{SessionFields::of(listed.session, listed.user), listed.revoked_at};
        out.is_revoked = listed.revoked_at.has_value();
        return out;
    }

    static constexpr std::string_view schema_name = "UserSessionResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            first_fields(),
            std::tuple{
                field("createdAt", &UserSessionResponse::created_at, "Creation time"),
                field("updatedAt", &UserSessionResponse::updated_at, "Time of the last refresh or of the end"),
                field("lastActiveAt", &UserSessionResponse::last_active_at,
                      "Time of the last refresh; for logins on the pages, of the last use, to the hour; for "
                      "administrators, to the minute"),
                field("expiredAt", &UserSessionResponse::expired_at, "Time at which the session ends at the latest"),
                field("isRevoked", &UserSessionResponse::is_revoked, "Whether the session was ended early"),
                field("revokedAt", &UserSessionResponse::revoked_at, "Revocation time"),
            });
    }
};

struct UserSessionListing {
    std::optional<bool> is_revoked;

    static constexpr auto paging = http::Paging::offset;
    static constexpr auto filters() {
        // Raising the epoch ends sessions without touching their rows.
        return std::tuple{http::filter("isRevoked", &UserSessionListing::is_revoked,
                                       storage::sql<"(revoked_at IS NOT NULL OR epoch < ", epoch_sql, ")">,
                                       "`true`: only ended sessions; `false`: only the others")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"},
                                         http::Sortable{"updatedAt", "updated_at"}};
};

struct UserImportQuery {
    std::optional<bool> dry_run;

    static constexpr std::string_view schema_name = "UserImportQuery";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("dryRun", &UserImportQuery::dry_run, "`true` checks the file and imports nothing")};
    }
};

struct UserImportResponse {
    std::int64_t rows = 0;
    std::int64_t imported = 0;
    bool is_dry_run = false;  // not part of the answer

    bool changed_nothing() const { return is_dry_run; }
    static constexpr std::string_view schema_name = "UserImportResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("rows", &UserImportResponse::rows, "Number of rows, without the header line"),
                          field("imported", &UserImportResponse::imported,
                                "Number of accounts imported; with `dryRun`, that would be imported")};
    }
};

struct CheckUsernameRequest {
    std::string username;

    static constexpr std::string_view schema_name = "UserCheckUsernameRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("username", &CheckUsernameRequest::username, "Username; case-insensitive",
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
            field("badWord", &CheckUsernameResponse::bad_word, "Always false; Consentry has no word list"),
            field("exist", &CheckUsernameResponse::exist, "Whether the username is taken"),
            field("pattern", &CheckUsernameResponse::pattern,
                  "Whether the username contains characters other than letters, digits, dashes and underscores"),
        };
    }
};

struct CheckEmailRequest {
    std::string email;

    static constexpr std::string_view schema_name = "UserCheckEmailRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("email", &CheckEmailRequest::email, "Email address; case-insensitive", http::not_empty, http::email)};
    }
};

struct CheckEmailResponse {
    bool bad_word = false;
    bool exist = false;

    static constexpr std::string_view schema_name = "UserCheckEmailResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("badWord", &CheckEmailResponse::bad_word, "Always false; Consentry has no word list"),
            field("exist", &CheckEmailResponse::exist, "Whether an account has the address"),
        };
    }
};

}  // namespace consentry
