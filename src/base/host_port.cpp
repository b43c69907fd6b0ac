#include "base/host_port.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace consentry {

std::optional<HostPort> split_host_port(std::string_view text) {
    auto host_end = std::min(text.find(':'), text.size());
    if (text.starts_with('[')) {
        const auto closing = text.find(']');
        if (closing == std::string_view::npos) return std::nullopt;
        host_end = closing + 1;
    }
    HostPort out{.host = text.substr(0, host_end), .port = std::nullopt};
    const std::string_view rest = text.substr(host_end);
    if (rest.empty()) return out;
    if (!rest.starts_with(':')) return std::nullopt;
    out.port = rest.substr(1);
    return out;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    const auto port = parse_number<std::uint16_t>(text);
    return port == 0 ? std::nullopt : port;
}

bool has_possible_port(std::string_view url) {
    constexpr std::string_view mark = "://";
    const auto scheme_end = url.find(mark);
    if (scheme_end == std::string_view::npos) return true;
    std::string_view authority = url.substr(scheme_end + mark.size());
    authority = authority.substr(0, authority.find_first_of("/?#"));
    if (const auto user_end = authority.rfind('@'); user_end != std::string_view::npos)
        authority.remove_prefix(user_end + 1);
    const auto parts = split_host_port(authority);
    return parts && (!parts->port || parse_port(*parts->port));
}

std::string_view without_brackets(std::string_view host) {
    const bool has_brackets = host.starts_with('[') && host.ends_with(']');
    return has_brackets ? host.substr(1, host.size() - 2) : host;
}

}  // namespace consentry
