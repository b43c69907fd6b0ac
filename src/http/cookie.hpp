// Cookies of a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.hpp"

namespace consentry::http {

// The values of all cookies of this name, in the order of the request. They point into it.
std::vector<std::string_view> cookies(const Request& request, std::string_view wanted);

// Returns the value of a cookie. Returns nullopt if it is absent or empty, or if a request carries it more than once:
// then another party has set one of them, and it is impossible to tell which.
std::optional<std::string> only_cookie(const Request& request, std::string_view wanted);

}  // namespace consentry::http
