#include "features/forward_auth/guarded_hosts.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr std::string_view secure = "https://";
constexpr std::string_view plain = "http://";
constexpr std::size_t host_bytes_max = 253 + 6;

// Returns nullopt if the header is absent, or if a request carries several values: then one of them may be the
// client's.
std::optional<std::string_view> only_value(const http::Request& request, std::string_view name) {
    const auto value = request.header(name);
    if (!value || request.count(name) > 1 || value->contains(',')) return std::nullopt;
    return trim(*value);
}

bool is_host_character(char c) { return is_lower_letter(c) || is_digit(c) || c == '.' || c == '-' || c == ':'; }

// The origin in its one spelling.
std::optional<std::string> origin_of(bool is_secure, std::string_view host) {
    std::string name = to_lower_ascii(host);
    if (name.empty() || name.size() > host_bytes_max || !std::ranges::all_of(name, is_host_character))
        return std::nullopt;
    const std::string_view usual_port = is_secure ? ":443" : ":80";
    if (name.ends_with(usual_port)) name.resize(name.size() - usual_port.size());
    return std::string(is_secure ? secure : plain) + name;
}

bool is_path(std::string_view text) {
    return text.starts_with('/') &&
           std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7F'; });
}

// Browsers leave some characters as they are, such as those of `?filter[a]=b|c`, that RFC 3986 wants percent-encoded.
// The path goes into a header and into addresses, so it has those of RFC 3986 only.
std::string encoded_path(std::string_view text) {
    constexpr std::string_view marks = "-._~!$&'()*+,;=:@/?";
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool is_escape = c == '%' && octet_at(text, i) >= 0;
        if (is_escape || is_alphanumeric(c) || marks.contains(c))
            out.push_back(c);
        else
            append_percent_encoded(out, c);
    }
    return out;
}

std::optional<AskedAddress> from_url(std::string_view url, bool is_get) {
    const bool is_secure = url.starts_with(secure);
    if (!is_secure && !url.starts_with(plain)) return std::nullopt;
    url.remove_prefix(is_secure ? secure.size() : plain.size());
    const auto slash = std::min(url.find('/'), url.size());
    auto origin = origin_of(is_secure, url.substr(0, slash));
    const std::string_view path = slash == url.size() ? std::string_view("/") : url.substr(slash);
    if (!origin || !is_path(path)) return std::nullopt;
    return AskedAddress{.origin = std::move(*origin), .path = encoded_path(path), .is_get = is_get};
}

}  // namespace

GuardedHosts::GuardedHosts(std::vector<std::string> origins, std::string domain, http::Networks proxies)
    : origins_(std::move(origins)), domain_(std::move(domain)), proxies_(std::move(proxies)) {}

std::optional<AskedAddress> GuardedHosts::asked(const http::RequestContext& context, std::string_view path) const {
    const http::Request& request = context.request;
    if (!proxies_.contains(http::canonical(request.peer))) return std::nullopt;
    const auto method = request.header("x-forwarded-method");
    const bool is_get =
        method ? only_value(request, "x-forwarded-method") == "GET" : request.method == http::Method::get;
    const bool names_host = request.header("x-forwarded-host").has_value();
    // A path may contain commas, so the headers that have one are not read as lists.
    if (!names_host && request.header("x-original-url")) {
        if (request.count("x-original-url") > 1) return std::nullopt;
        return from_url(trim(*request.header("x-original-url")), is_get);
    }
    const auto host = only_value(request, names_host ? "x-forwarded-host" : "host");
    if (!host) return std::nullopt;
    auto origin = origin_of(context.secure, *host);
    if (!origin) return std::nullopt;
    const auto uri = request.count("x-forwarded-uri") == 1 ? request.header("x-forwarded-uri") : std::nullopt;
    const std::string_view asked = uri ? *uri : path;
    return AskedAddress{
        .origin = std::move(*origin), .path = is_path(asked) ? encoded_path(asked) : "/", .is_get = is_get};
}

bool GuardedHosts::contain(std::string_view origin) const {
    return std::ranges::find(origins_, origin) != origins_.end();
}

std::string GuardedHosts::realm_of(std::string_view origin) const {
    if (domain_.empty()) return std::string(origin);
    std::string_view host = origin.substr(origin.find("://") + 3);
    host = host.substr(0, host.find(':'));
    const bool is_below = host == domain_ || host.ends_with("." + domain_);
    return is_below ? "." + domain_ : std::string(origin);
}

}  // namespace consentry
