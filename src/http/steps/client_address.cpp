#include "http/steps/client_address.hpp"

#include <ranges>

#include "base/text.hpp"

namespace consentry::http {

Client client_of(const Request& request, const Networks& proxies) {
    Client out{.address = canonical(request.peer)};
    if (proxies.empty() || !proxies.contains(out.address)) {
        out.through_stranger = request.header("x-forwarded-for") || request.header("forwarded");
        return out;
    }
    if (const auto scheme = request.header("x-forwarded-proto"))
        out.secure = equal_ignoring_case(trim(scheme->substr(scheme->rfind(',') + 1)), "https");
    // The nearest hop is the last entry of the last line. Each hop is trusted because the hop that reported it is a
    // listed proxy.
    for (const auto& [name, value] : std::views::reverse(request.headers)) {
        if (!equal_ignoring_case(name, "x-forwarded-for")) continue;
        std::string_view rest = value;
        for (bool more = true; more;) {
            const auto comma = rest.rfind(',');
            const std::string_view text = trim(comma == std::string_view::npos ? rest : rest.substr(comma + 1));
            more = comma != std::string_view::npos;
            rest = rest.substr(0, more ? comma : 0);
            const auto hop = parse_address(text);
            if (!hop) return out;  // an unreadable hop hides all hops before it
            out.address = *hop;
            if (!proxies.contains(*hop)) {
                more = false;
                rest = {};
            }
        }
        if (!proxies.contains(out.address)) break;
    }
    return out;
}

}  // namespace consentry::http
