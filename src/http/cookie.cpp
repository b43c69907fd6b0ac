#include "http/cookie.hpp"

#include "base/text.hpp"

namespace consentry::http {

std::vector<std::string_view> cookies(const Request& request, std::string_view wanted) {
    std::vector<std::string_view> out;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "cookie")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const std::string_view pair = trim(take_part(rest, ';'));
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
