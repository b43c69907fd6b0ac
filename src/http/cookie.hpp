// Cookies of a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"

namespace consentry::http {

// Returns the value of a cookie. Returns nullopt if it is absent or empty, or if a request carries it more than once:
// then another party has set one of them, and it is impossible to tell which.
std::optional<std::string> only_cookie(const Request& request, std::string_view wanted);

}  // namespace consentry::http
