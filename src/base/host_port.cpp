#include "base/host_port.hpp"

#include <algorithm>

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

std::string_view without_brackets(std::string_view host) {
    const bool has_brackets = host.starts_with('[') && host.ends_with(']');
    return has_brackets ? host.substr(1, host.size() - 2) : host;
}

}  // namespace consentry
