// Shapes of sessions and tokens on the wire.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "features/sessions/repository.hpp"
#include "features/users/user.hpp"
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
            field("tokenType", &TokenResponse::token_type, "Always Bearer"),
            field("roleType", &TokenResponse::role_type, "What the account may do"),
            field("expiresIn", &TokenResponse::expires_in, "Seconds until the access token ends"),
            field("accessToken", &TokenResponse::access_token, "For the Authorization header of every request"),
            field("refreshToken", &TokenResponse::refresh_token, "For one refresh; each refresh hands out the next"),
        };
    }
};

struct SessionResponse {
    SessionId id;
    LoginFrom login_from = LoginFrom::website;
    LoginWith login_with = LoginWith::credential;
    std::string ip_address;
    std::string user_agent;
    std::optional<std::string> device_name;
    std::optional<std::string> device_platform;
    bool is_current = false;
    TimePoint created_at;
    TimePoint last_active_at;
    TimePoint expired_at;

    static constexpr std::string_view schema_name = "SessionResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &SessionResponse::id, "For revoking"),
            field("loginFrom", &SessionResponse::login_from, "Where the login came from"),
            field("loginWith", &SessionResponse::login_with, "How the owner proved who they are"),
            field("ipAddress", &SessionResponse::ip_address, "Address of the login"),
            field("userAgent", &SessionResponse::user_agent, "Client of the login"),
            field("deviceName", &SessionResponse::device_name, "As told by the client"),
            field("devicePlatform", &SessionResponse::device_platform, "As told by the client"),
            field("isCurrent", &SessionResponse::is_current, "The session of this request"),
            field("createdAt", &SessionResponse::created_at, "When it began"),
            field("lastActiveAt", &SessionResponse::last_active_at,
                  "Its last refresh; for admins its last minute of use"),
            field("expiredAt", &SessionResponse::expired_at, "When it ends at the latest"),
        };
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
        return std::tuple{field("sessionId", &SessionPath::session_id, "Of the session")};
    }
};

}  // namespace consentry
