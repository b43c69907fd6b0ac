#include "app/api_description.hpp"

#include <string>

namespace consentry {
namespace {

constexpr std::string_view description =
    "Who somebody is, and what they agreed to.\n\n"
    "**Answers** are JSON: `statusCode`, `message`, `metadata`, and `data` where there is any. Errors have a service "
    "code as "
    "`statusCode`, its name as `statusCodeKey`, and where a rule was broken `errors`, one for each. With "
    "`Accept: application/problem+json` they come as RFC 9457 problems.\n\n"
    "**Messages** are in the language of `x-custom-lang`. Numbers and names never change with it.\n\n"
    "**Paths** work with and without the version. Most have further names, listed under *alias*; each is the same "
    "operation, with the same guard.\n\n"
    "**Limits**: 429 and 503 tell in `Retry-After` how many seconds to wait, and so does 403 where too many "
    "wrong passwords were sent.";

}  // namespace

http::OpenApiInfo api_description(std::string_view app_name, std::string_view version, http::ApiKeyUse api_keys) {
    return {.title = std::string(app_name) + " APIs Specification",
            .version = std::string(version),
            .description = std::string(description),
            .api_keys = api_keys,
            // In the order in which a newcomer meets them.
            .tags = {
                {"login", "From a password to tokens, with a second step where two-factor is on"},
                {"session", "Refresh, logout, the live sessions of an account, and the keys that verify tokens"},
                {"two-factor", "Codes of an authenticator app, and backup codes for the day it is lost"},
                {"password", "The own password"},
                {"user", "The own account"},
                {"term-policy", "What there is to agree to, and who agreed to which version of it"},
                {"file", "Texts of policies, at addresses that other operations hand out"},
                {"activity", "What happened to an account, and who did it"},
                {"role", "What groups of people may do"},
                {"api-key", "Keys that programs show, beside whatever their users show"},
                {"feature-flag", "Functions that are switched while the service runs"},
                {"forwardAuth", "For proxies: may this request pass?"},
                {"admin", "Other people's accounts"},
                {"system", "The service's own state"},
                {"documentation", "This document"},
            }};
}

}  // namespace consentry
