// The token of an Authorization header (RFC 6750 section 2.1).
#pragma once

#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "http/request.hpp"

namespace consentry::http {

// Requires exactly one Authorization header. With two, an intermediary could act on a different one than this service.
inline std::optional<std::string_view> bearer_token(const Request& request) {
    constexpr std::string_view prefix = "Bearer ";
    if (request.count("authorization") != 1) return std::nullopt;
    const std::string_view value = *request.header("authorization");
    if (value.size() <= prefix.size() || !equal_ignoring_case(value.substr(0, prefix.size()), prefix))
        return std::nullopt;
    return value.substr(prefix.size());
}

}  // namespace consentry::http
