#include "http/steps/cors.hpp"

#include <algorithm>

#include "base/host_port.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "http/characters.hpp"

namespace consentry::http {
namespace {

constexpr std::string_view form =
    "hosts such as app.example.com, *.example.com or localhost:5173, separated by commas, or * alone";
constexpr std::string_view too_wide = "entries whose * covers the subdomains of one domain: *.example.com, not *.com";

constexpr std::string_view methods = "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS";
constexpr std::string_view reading_methods = "GET, HEAD, OPTIONS";
constexpr std::string_view allowed_headers =
    "Accept, Accept-Language, Content-Language, Content-Type, Origin, Authorization, Access-Control-Request-Method, "
    "Access-Control-Request-Headers, Referer, Host, X-Requested-With, If-None-Match, traceparent, tracestate, "
    "x-custom-lang, x-timestamp, x-api-key, x-timezone, x-request-id, x-correlation-id, x-version, x-repo-version, "
    "X-Response-Time, User-Agent";
constexpr std::string_view exposed_headers =
    "x-custom-lang, x-timestamp, x-timezone, x-request-id, x-correlation-id, x-version, x-repo-version, "
    "X-Response-Time, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, "
    "Retry-After, ETag, Consent-Grace";
constexpr std::string_view preflight_seconds = "86400";

// Non-empty labels of letters, digits, '-' and '_', separated by dots, or a bracketed IPv6 address.
bool is_host(std::string_view host) {
    if (host.starts_with('[')) {
        if (host.size() < 4 || !host.ends_with(']')) return false;
        return std::ranges::all_of(host.substr(1, host.size() - 2),
                                   [](char c) { return hex_value(c) >= 0 || c == ':' || c == '.'; });
    }
    if (host.empty() || host.size() > 253 || host.front() == '.' || host.back() == '.' || host.contains(".."))
        return false;
    return std::ranges::all_of(host, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Splits "host:port"; nullopt if the port is invalid.
std::optional<std::pair<std::string_view, std::optional<std::uint16_t>>> split_port(std::string_view text) {
    const auto parts = split_host_port(text);
    if (!parts) return std::nullopt;
    if (!parts->port) return std::pair{parts->host, std::nullopt};
    const auto port = parse_canonical_number<std::uint16_t>(*parts->port);
    if (!port || *port == 0) return std::nullopt;
    return std::pair{parts->host, port};
}

// What a page that may read the answer learns besides.
void tell_more(bool preflight, std::string_view allowed_methods, Response& response) {
    if (!preflight) return response.add_header("Access-Control-Expose-Headers", exposed_headers);
    response.add_header("Access-Control-Allow-Methods", allowed_methods);
    response.add_header("Access-Control-Allow-Headers", allowed_headers);
    response.add_header("Access-Control-Max-Age", preflight_seconds);
}

}  // namespace

std::expected<Cors, std::string> Cors::parse(const std::vector<std::string>& entries) {
    Cors out;
    for (const std::string_view entry : entries) {
        if (entry == "*") {
            out.any_ = true;
            continue;
        }
        std::string_view text = entry;
        Entry made;
        for (const auto& [scheme, secure] : {std::pair{std::string_view("https://"), true}, {"http://", false}}) {
            if (!text.starts_with(scheme)) continue;
            text.remove_prefix(scheme.size());
            made.secure = secure;
            break;
        }
        if (text.starts_with("*.")) {
            made.below = true;
            text.remove_prefix(2);
        }
        const auto parts = split_port(text);
        if (!parts || !is_host(parts->first)) return std::unexpected(std::string(text.contains('*') ? too_wide : form));
        made.host = to_lower_ascii(parts->first);
        made.port = parts->second;
        if (made.below && !made.host.contains('.')) return std::unexpected(std::string(too_wide));
        out.entries_.push_back(std::move(made));
    }
    return out;
}

// Accepts only scheme "://" host [":" port] (RFC 6454 section 6.2). The origin "null" can never be allowed.
std::optional<Cors::Origin> Cors::parse_origin(std::string_view text) {
    constexpr std::string_view mark = "://";
    const auto scheme_end = text.find(mark);
    if (scheme_end == std::string_view::npos) return std::nullopt;
    const std::string_view scheme = text.substr(0, scheme_end);
    const bool secure = equal_ignoring_case(scheme, "https");
    if (!secure && !equal_ignoring_case(scheme, "http")) return std::nullopt;
    const auto parts = split_port(text.substr(scheme_end + mark.size()));
    if (!parts || !is_host(parts->first)) return std::nullopt;
    const std::uint16_t usual = secure ? 443 : 80;
    const std::uint16_t port = parts->second.value_or(usual);
    return Origin{.host = to_lower_ascii(parts->first), .port = port, .default_port = port == usual, .secure = secure};
}

bool Cors::allows(std::string_view text) const {
    const auto origin = parse_origin(text);
    if (!origin) return false;
    return std::ranges::any_of(entries_, [&](const Entry& entry) {
        if (entry.secure && *entry.secure != origin->secure) return false;
        if (entry.port ? *entry.port != origin->port : !origin->default_port) return false;
        if (entry.host == origin->host) return true;
        return entry.below && origin->host.size() > entry.host.size() && origin->host.ends_with(entry.host) &&
               origin->host[origin->host.size() - entry.host.size() - 1] == '.';
    });
}

bool Cors::is_open(std::string_view path) const {
    return std::ranges::any_of(open_paths_, [&](const std::string& start) { return path.starts_with(start); });
}

void Cors::add_headers(const Request& request, bool preflight, Response& response) const {
    const bool is_open_path = is_open(request.path);
    if (is_open_path || any_) {
        // Also without an Origin header: caches keep these answers and give them to everybody. A wildcard names no
        // origin, so browsers send no credentials.
        response.add_header("Access-Control-Allow-Origin", "*");
        return tell_more(preflight, is_open_path ? reading_methods : methods, response);
    }
    if (entries_.empty()) return;
    // Caches must not reuse an answer for another origin.
    response.vary.origin = true;
    response.vary.preflight = preflight;
    const auto origin = request.header("origin");
    if (!origin || request.count("origin") != 1 || !allows(*origin)) return;
    response.add_header("Access-Control-Allow-Origin", *origin);
    response.add_header("Access-Control-Allow-Credentials", "true");
    tell_more(preflight, methods, response);
}

}  // namespace consentry::http
