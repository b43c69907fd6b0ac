#include "app/config/own_url.hpp"

#include <string_view>

namespace consentry {
namespace {

// URL at which a browser on the same machine reaches the service; an IPv6 address is in brackets (RFC 3986).
std::string listening_url(const HttpConfig& http) {
    const bool is_v6 = http.host.contains(':');
    return "http://" + (is_v6 ? "[" + http.host + "]" : http.host) + ":" + std::to_string(http.port);
}

}  // namespace

std::string own_url(const Config& config) {
    return config.app.public_url.empty() ? listening_url(config.http) : config.app.public_url;
}

bool can_serve_pages(const Config& config) {
    if (!config.pages.enable) return false;
    const std::string& url = config.app.public_url;
    if (url.empty()) return true;
    const auto authority = url.find("://") + 3;
    if (url.find('/', authority) != std::string::npos) return false;
    if (url.starts_with("https:")) return true;
    const std::string_view host = std::string_view(url).substr(authority);
    const auto is_named = [&](std::string_view name) {
        return host.starts_with(name) && (host.size() == name.size() || host[name.size()] == ':');
    };
    return is_named("localhost") || is_named("127.0.0.1") || is_named("[::1]");
}

}  // namespace consentry
