#include "http/cookie.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace consentry::http {

std::vector<std::string_view> cookies(const Request& request, std::string_view wanted) {
    std::vector<std::string_view> out;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "cookie")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const auto end = std::min(rest.find(';'), rest.size());
            const std::string_view pair = trim(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
            const auto equals = pair.find('=');
            if (equals != std::string_view::npos && pair.substr(0, equals) == wanted)
                out.push_back(pair.substr(equals + 1));
        }
    }
    return out;
}

std::optional<std::string> only_cookie(const Request& request, std::string_view wanted) {
    const auto found = cookies(request, wanted);
    if (found.size() != 1 || found.front().empty()) return std::nullopt;
    return std::string(found.front());
}

}  // namespace consentry::http
