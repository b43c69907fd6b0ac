// Shapes of sessions and tokens on the wire.
#pragma once

#include <array>
#include <optional>
#include <string>

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
            field("tokenType", &TokenResponse::token_type, "Always Bearer"),
            field("roleType", &TokenResponse::role_type, "What the account may do"),
            field("expiresIn", &TokenResponse::expires_in, "Seconds until the access token ends"),
            field("accessToken", &TokenResponse::access_token, "For the Authorization header of every request"),
            field("refreshToken", &TokenResponse::refresh_token, "For one refresh; each refresh hands out the next"),
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
            field("name", &BrowserResponse::name, "Of the browser or program"),
            field("version", &BrowserResponse::version, "As it tells it"),
            field("major", &BrowserResponse::major, "The first number of the version"),
            field("type", &BrowserResponse::type, "cli or library, of a program that is no browser"),
        };
    }
};

struct CpuResponse {
    std::optional<std::string> architecture;

    static constexpr std::string_view schema_name = "UserAgentCpuResponseDto";
    static constexpr auto fields() {
        return std::tuple{http::field("architecture", &CpuResponse::architecture, "amd64, arm64, arm or ia32")};
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
            field("type", &UserAgentDeviceResponse::type, "mobile or tablet; absent of a computer"),
            field("vendor", &UserAgentDeviceResponse::vendor, "Who made it"),
            field("model", &UserAgentDeviceResponse::model, "What its maker calls it"),
        };
    }
};

// An engine or an operating system.
struct UserAgentPartResponse {
    std::optional<std::string> name;
    std::optional<std::string> version;

    static constexpr std::string_view schema_name = "UserAgentPartResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("name", &UserAgentPartResponse::name, "Its name"),
                          field("version", &UserAgentPartResponse::version, "As it tells it")};
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
            field("ua", &UserAgentResponse::ua, "The header User-Agent as the client sent it, cut to 512 bytes"),
            field("browser", &UserAgentResponse::browser, "What it says of the browser, as far as that is known"),
            field("cpu", &UserAgentResponse::cpu, "The same of the processor"),
            field("device", &UserAgentResponse::device, "The same of the device"),
            field("engine", &UserAgentResponse::engine, "The same of what draws the pages"),
            field("os", &UserAgentResponse::os, "The same of the operating system"),
        };
    }
};

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
        return std::tuple{
            field("id", &SessionResponse::id, "For revoking"),
            field("userId", &SessionResponse::user_id, "Whose it is"),
            field("loginFrom", &SessionResponse::login_from, "Where the login came from"),
            field("loginWith", &SessionResponse::login_with, "How the owner proved who they are"),
            field("ipAddress", &SessionResponse::ip_address, "Address of the login"),
            field("userAgent", &SessionResponse::user_agent, "Client of the login"),
            field("deviceName", &SessionResponse::device_name, "As told by the client"),
            field("devicePlatform", &SessionResponse::device_platform, "As told by the client"),
            field("isCurrent", &SessionResponse::is_current, "The session of this request"),
            field("isRevoked", &SessionResponse::is_revoked, "Always false: those that were ended are not listed"),
            field("createdAt", &SessionResponse::created_at, "When it began"),
            field("updatedAt", &SessionResponse::updated_at, "When it was refreshed last"),
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
