// How answers show the user agent of a client, as far as its form is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/user_agent.hpp"
#include "http/schema/fields.hpp"

namespace consentry {

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

}  // namespace consentry
