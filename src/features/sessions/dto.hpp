// Wire formats of sessions and tokens.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "base/user_agent.hpp"
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

struct BrowserResponse {
    std::optional<std::string> name;
    std::optional<std::string> version;
    std::optional<std::string> major;
    std::optional<std::string> type;

    static constexpr std::string_view schema_name = "UserAgentBrowserResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("name", &BrowserResponse::name, "Name of the browser or program"),
            field("version", &BrowserResponse::version, "Version"),
            field("major", &BrowserResponse::major, "Major version"),
            field("type", &BrowserResponse::type, "`cli` or `library` for programs other than browsers"),
        };
    }
};

struct CpuResponse {
    std::optional<std::string> architecture;

    static constexpr std::string_view schema_name = "UserAgentCpuResponseDto";
    static constexpr auto fields() {
        return std::tuple{http::field("architecture", &CpuResponse::architecture,
                                      "Processor architecture: amd64, arm64, arm or ia32")};
    }
};

struct UserAgentDeviceResponse {
    std::optional<std::string> type;
    std::optional<std::string> vendor;
    std::optional<std::string> model;

    static constexpr std::string_view schema_name = "UserAgentDeviceResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("type", &UserAgentDeviceResponse::type, "`mobile` or `tablet`; absent for computers"),
            field("vendor", &UserAgentDeviceResponse::vendor, "Device vendor"),
            field("model", &UserAgentDeviceResponse::model, "Device model"),
        };
    }
};

// A browser engine or an operating system.
struct UserAgentPartResponse {
    std::optional<std::string> name;
    std::optional<std::string> version;

    static constexpr std::string_view schema_name = "UserAgentPartResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("name", &UserAgentPartResponse::name, "Name"),
                          field("version", &UserAgentPartResponse::version, "Version")};
    }
};

struct UserAgentResponse {
    std::string ua;
    BrowserResponse browser;
    CpuResponse cpu;
    UserAgentDeviceResponse device;
    UserAgentPartResponse engine;
    UserAgentPartResponse os;

    static UserAgentResponse of(const std::string& text) {
        UserAgent agent = parse_user_agent(text);
        return {.ua = text,
                .browser = {std::move(agent.browser.name), std::move(agent.browser.version),
                            std::move(agent.browser.major), std::move(agent.browser.type)},
                .cpu = {std::move(agent.cpu.architecture)},
                .device = {std::move(agent.device.type), std::move(agent.device.vendor), std::move(agent.device.model)},
                .engine = {std::move(agent.engine.name), std::move(agent.engine.version)},
                .os = {std::move(agent.os.name), std::move(agent.os.version)}};
    }

    static constexpr std::string_view schema_name = "UserAgentResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("ua", &UserAgentResponse::ua, "User-Agent header of the client, cut to 512 bytes"),
            field("browser", &UserAgentResponse::browser, "Browser, if known"),
            field("cpu", &UserAgentResponse::cpu, "Processor, if known"),
            field("device", &UserAgentResponse::device, "Device, if known"),
            field("engine", &UserAgentResponse::engine, "Browser engine, if known"),
            field("os", &UserAgentResponse::os, "Operating system, if known"),
        };
    }
};

// The fields that a session has for its owner and for administrators.
template <class Dto>
constexpr auto session_fields() {
    using http::field;
    return std::tuple{
        field("id", &Dto::id, "Session ID"),
        field("userId", &Dto::user_id, "Account ID"),
        field("loginFrom", &Dto::login_from, "Client type of the login"),
        field("loginWith", &Dto::login_with, "Login method"),
        field("ipAddress", &Dto::ip_address, "IP address of the login"),
        field("userAgent", &Dto::user_agent, "User agent of the login"),
        field("deviceName", &Dto::device_name, "Device name sent by the client"),
        field("devicePlatform", &Dto::device_platform, "Device platform sent by the client"),
    };
}

struct SessionResponse {
    SessionId id;
    UserId user_id;
    LoginFrom login_from = LoginFrom::website;
    LoginWith login_with = LoginWith::credential;
    std::string ip_address;
    UserAgentResponse user_agent;
    std::optional<std::string> device_name;
    std::optional<std::string> device_platform;
    bool is_current = false;
    bool is_revoked = false;
    TimePoint created_at;
    TimePoint updated_at;
    TimePoint last_active_at;
    TimePoint expired_at;

    static constexpr std::string_view schema_name = "SessionResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            session_fields<SessionResponse>(),
            std::tuple{
                field("isCurrent", &SessionResponse::is_current, "Whether this is the session of the request"),
                field("isRevoked", &SessionResponse::is_revoked, "Always false; the list omits ended sessions"),
                field("createdAt", &SessionResponse::created_at, "Creation time"),
                field("updatedAt", &SessionResponse::updated_at, "Time of the last refresh"),
                field("lastActiveAt", &SessionResponse::last_active_at,
                      "Time of the last refresh; for administrators, of the last use, to the minute"),
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
