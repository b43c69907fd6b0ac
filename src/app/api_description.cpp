#include "app/api_description.hpp"

#include <string>

#include <fmt/format.h>

namespace consentry {
namespace {

constexpr std::string_view introduction =
    "Authentication and consent.\n\n"
    "**Responses** are JSON objects with `statusCode`, `message`, `metadata` and, if there is any, `data`. In errors, "
    "`statusCode` is a service code, `statusCodeKey` its name, and `errors` lists all violated rules. With "
    "`Accept: application/problem+json`, errors are RFC 9457 problems.\n\n"
    "**Messages** are in the language of `x-custom-lang`. Codes and names do not depend on the language.\n\n";
constexpr std::string_view with_versions = "**Paths** work with and without the version. ";
constexpr std::string_view remainder =
    "This document shows each operation at its first path; `x-aliases` lists its other paths and "
    "methods, which behave the same and have the same access rules. `/docs/json?aliases=true` describes the aliases "
    "too.\n\n"
    "**Limits**: responses 429 and 503, and 403 after too many failed password attempts, state in `Retry-After` how "
    "many seconds to wait. 503 with the service code 5081 does not: a feature flag has turned the function off.";

std::string description_for(const Config& config) {
    std::string out(introduction);
    if (config.versioning.enable) out += with_versions;
    return out.append(remainder);
}

std::string path_prefix_for(const Config& config) {
    std::string out = config.http.global_prefix;
    if (config.versioning.enable) out += fmt::format("/{}{}", config.versioning.prefix, config.versioning.version);
    return out;
}

}  // namespace

http::OpenApiInfo api_description(const Config& config, std::string_view version) {
    return {.title = config.app.name + " APIs Specification",
            .version = std::string(version),
            .description = description_for(config),
            .path_prefix = path_prefix_for(config),
            .api_keys = config.api_key.required ? http::ApiKeyUse::required : http::ApiKeyUse::optional,
            // Ordered as a new developer needs them.
            .tags = {
                {"login", "Log in with a password or a social identity, and with a second factor"},
                {"session", "Refresh, logout, active sessions, and the keys that verify tokens"},
                {"two-factor", "Set up, use and turn off two-factor authentication"},
                {"password", "Change and reset passwords"},
                {"user", "Sign-up, email verification, profile, deletion and data export"},
                {"term-policy", "Publish policies; accept them and withdraw acceptances"},
                {"consent-log", "The public log of acceptances: checkpoint, tiles and keys"},
                {"file", "Upload and download policy texts, at URLs from other operations"},
                {"activity", "Activity log of accounts"},
                {"role", "Roles and their abilities"},
                {"api-key", "Keys that identify client programs"},
                {"feature-flag", "Turn features on and off at run time"},
                {"forwardAuth", "Authorize requests for reverse proxies"},
                {"admin", "Manage user accounts"},
                {"system", "Deployment facts, health and metrics"},
                {"documentation", "API documentation"},
            }};
}

}  // namespace consentry
