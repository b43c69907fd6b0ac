// Wire formats of sessions and tokens.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "features/sessions/repository.hpp"
#include "features/users/user.hpp"
#include "features/users/user_agent_dto.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct TokenResponse {
    std::string token_type = "Bearer";
    Role role_type = Role::user;
    std::int64_t expires_in = 0;
    std::string access_token;
    std::string refresh_token;

    static TokenResponse of(const TokenPair& pair, Role role) {
        return {.role_type = role,
                .expires_in = pair.expires_in,
                .access_token = pair.access_token,
                .refresh_token = pair.refresh_token};
    }

    static constexpr std::string_view schema_name = "UserTokenResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("tokenType", &TokenResponse::token_type, "Always `Bearer`"),
            field("roleType", &TokenResponse::role_type, "Role type of the account"),
            field("expiresIn", &TokenResponse::expires_in, "Lifetime of the access token in seconds"),
            field("accessToken", &TokenResponse::access_token,
                  "Access token, for the Authorization header of each request"),
            field("refreshToken", &TokenResponse::refresh_token,
                  "Refresh token; works once, each refresh returns the next one"),
        };
    }
};

// What owners and administrators see of a session.
struct SessionFields {
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

    static SessionFields of(const SessionSummary& session, UserId user) {
        return {.id = session.id,
                .user_id = user,
                .login_from = session.from,
                .login_with = session.with,
                .ip_address = session.ip_address,
                .user_agent = UserAgentResponse::of(session.user_agent),
                .device_name = session.device_name,
                .device_platform = session.device_platform,
                .created_at = session.created_at,
                .updated_at = session.updated_at,
                .last_active_at = session.last_active_at,
                .expired_at = session.expires_at};
    }

    static constexpr auto first_fields() {
        using http::field;
        return std::tuple{
            field("id", &SessionFields::id, "Session ID"),
            field("userId", &SessionFields::user_id, "Account ID"),
            field("loginFrom", &SessionFields::login_from, "Client type of the login"),
            field("loginWith", &SessionFields::login_with, "Login method"),
            field("ipAddress", &SessionFields::ip_address, "IP address of the login"),
            field("userAgent", &SessionFields::user_agent, "User agent of the login"),
            field("deviceName", &SessionFields::device_name, "Device name sent by the client"),
            field("devicePlatform", &SessionFields::device_platform, "Device platform sent by the client"),
        };
    }
};

struct SessionResponse : SessionFields {
    bool is_current = false;

    static constexpr std::string_view schema_name = "SessionResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            first_fields(),
            std::tuple{
                field("isCurrent", &SessionResponse::is_current, "Whether this is the session of the request"),
                field("isRevoked", &SessionResponse::is_revoked, "Always false; the list omits ended sessions"),
                field("createdAt", &SessionResponse::created_at, "Creation time"),
                field("updatedAt", &SessionResponse::updated_at, "Time of the last refresh"),
                field("lastActiveAt", &SessionResponse::last_active_at,
                      "Time of the last refresh; for logins on the pages, of the last use, to the hour; for "
                      "administrators, to the minute"),
                field("expiredAt", &SessionResponse::expired_at, "Time at which the session ends at the latest"),
            });
    }
};

struct SessionListing {
    static constexpr auto paging = http::Paging::cursor;
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"},
                                         http::Sortable{"updatedAt", "updated_at"}};
};

struct SessionPath {
    SessionId session_id;

    static constexpr std::string_view schema_name = "SessionPath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("sessionId", &SessionPath::session_id, "Session ID")};
    }
};

}  // namespace consentry
