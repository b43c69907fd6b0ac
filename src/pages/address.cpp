#include "pages/address.hpp"

#include <algorithm>
#include <cstdint>

#include "base/ascii.hpp"
#include "base/host_port.hpp"
#include "base/numbers.hpp"
#include "base/percent_encoding.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr std::size_t configured_bytes_max = 300;
constexpr std::string_view secure = "https://";
constexpr std::string_view plain = "http://";

bool is_host_character(char c) { return is_lower_letter(c) || is_digit(c) || c == '.' || c == '-'; }

bool is_host(std::string_view host) {
    return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, is_host_character) &&
           is_alphanumeric(host.front()) && is_alphanumeric(host.back()) && !host.contains("..");
}

bool is_port(std::string_view port) { return parse_canonical_number<std::uint16_t>(port).value_or(0) != 0; }

// The origin in its one spelling. Returns nullopt unless it is a scheme, a host name and perhaps a port.
std::optional<std::string> origin_of(std::string_view text) {
    const std::string lower = to_lower_ascii(text);
    const std::string_view scheme = lower.starts_with(secure) ? secure : plain;
    if (!lower.starts_with(scheme)) return std::nullopt;
    const std::string_view authority = std::string_view(lower).substr(scheme.size());
    const auto parts = split_host_port(authority);
    if (!parts || !is_host(parts->host)) return std::nullopt;
    std::string out = std::string(scheme) + std::string(parts->host);
    if (!parts->port) return out;
    if (!is_port(*parts->port)) return std::nullopt;
    if (*parts->port != (scheme == secure ? "443" : "80")) out.append(":").append(*parts->port);
    return out;
}

// The characters of RFC 3986 that a path and a query may hold. No backslash, which browsers take for a slash, and no
// space or control character, which they leave out.
bool is_address_character(char c) {
    constexpr std::string_view marks = "-._~!$&'()*+,;=:@/?%";
    return is_alphanumeric(c) || marks.contains(c);
}

bool has_whole_escapes(std::string_view text) {
    for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1))
        if (octet_at(text, at) < 0) return false;
    return true;
}

// Whether a proxy or an application that decodes the path once would find other segments, or characters that we refuse.
bool hides_something(std::string_view path) {
    for (auto at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1)) {
        const int octet = octet_at(path, at);
        if (octet < 0x20 || octet == 0x7F || octet == '\\' || octet == '/' || octet == '.') return true;
    }
    return false;
}

}  // namespace

bool has_one_reading(std::string_view text) {
    if (!text.starts_with('/') || !std::ranges::all_of(text, is_address_character) || !has_whole_escapes(text))
        return false;
    std::string_view path = text.substr(0, text.find('?'));
    if (hides_something(path)) return false;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(segment.size());
        if (segment == "." || segment == ".." || (segment.empty() && !path.empty())) return false;
    }
    return true;
}

std::expected<ReturnHosts, std::string> ReturnHosts::parse(const std::vector<std::string>& entries) {
    ReturnHosts out;
    for (const std::string& entry : entries) {
        const bool has_scheme = entry.contains("://");
        auto origin = origin_of(has_scheme ? entry : std::string(secure) + entry);
        if (!origin)
            return std::unexpected(
                "host names such as app.example.com, or origins such as http://localhost:8080, separated by commas");
        out.origins_.push_back(std::move(*origin));
    }
    return out;
}

bool ReturnHosts::contain(std::string_view origin) const {
    return std::ranges::find(origins_, origin) != origins_.end();
}

std::optional<ConfiguredUrl> ConfiguredUrl::parse(std::string_view text) {
    if (text.size() > configured_bytes_max || !text.starts_with(secure)) return std::nullopt;
    const auto path_begin = std::min(text.find_first_of("/?", secure.size()), text.size());
    auto origin = origin_of(text.substr(0, path_begin));
    const std::string_view path = text.substr(path_begin);
    if (!origin || (!path.empty() && !has_one_reading(path))) return std::nullopt;
    return ConfiguredUrl(*origin + std::string(path), *origin);
}

std::optional<Address> Address::safe_return(std::string_view text, const ReturnHosts& hosts) {
    if (text.size() > bytes_max) return std::nullopt;
    if (has_one_reading(text)) return checked(std::string(text), false);
    const auto scheme_end = text.find("://");
    if (scheme_end == std::string_view::npos) return std::nullopt;
    const auto path_begin = std::min(text.find_first_of("/?", scheme_end + 3), text.size());
    const auto origin = origin_of(text.substr(0, path_begin));
    if (!origin || !hosts.contain(*origin)) return std::nullopt;
    const std::string_view path = text.substr(path_begin);
    if (path.empty()) return checked(*origin + "/", true);
    if (!has_one_reading(path)) return std::nullopt;
    return checked(*origin + std::string(path), true);
}

Address Address::without(std::string_view name) && {
    const auto mark = std::min(text_.find('?'), text_.size());
    std::string_view query = std::string_view(text_).substr(std::min(mark + 1, text_.size()));
    std::string kept;
    while (!query.empty()) {
        const std::string_view field = take_part(query, '&');
        if (form_decoded(field.substr(0, field.find('='))) == name) continue;
        kept.append(kept.empty() ? "?" : "&").append(field);
    }
    text_ = text_.substr(0, mark) + kept;
    return std::move(*this);
}

Address Address::with(HtmlLiteral name, std::string_view value) && {
    text_.append(text_.contains('?') ? "&" : "?").append(name.text()).append("=").append(percent_encoded(value));
    return std::move(*this);
}

}  // namespace consentry
