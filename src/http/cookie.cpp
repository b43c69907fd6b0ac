#include "http/cookie.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace consentry::http {

std::optional<std::string> only_cookie(const Request& request, std::string_view wanted) {
    std::optional<std::string> found;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "cookie")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const auto end = std::min(rest.find(';'), rest.size());
            const std::string_view pair = trim(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
            const auto equals = pair.find('=');
            if (equals == std::string_view::npos || pair.substr(0, equals) != wanted) continue;
            if (found) return std::nullopt;
            found = pair.substr(equals + 1);
        }
    }
    if (found && found->empty()) return std::nullopt;
    return found;
}

}  // namespace consentry::http
