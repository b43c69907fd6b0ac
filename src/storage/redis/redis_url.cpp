#include "storage/redis/redis_url.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/ip/address_v6.hpp>
#include <boost/url/pct_string_view.hpp>

#include "base/ascii.hpp"
#include "base/host_port.hpp"
#include "base/numbers.hpp"

namespace consentry::storage {
namespace {

using Failure = std::unexpected<std::string>;

struct Scheme {
    std::string_view name;
    RedisKind kind;
    bool tls;
};
constexpr std::array<Scheme, 6> schemes{{
    {"redis", RedisKind::single, false},
    {"rediss", RedisKind::single, true},
    {"redis+sentinel", RedisKind::sentinel, false},
    {"rediss+sentinel", RedisKind::sentinel, true},
    {"redis+cluster", RedisKind::cluster, false},
    {"rediss+cluster", RedisKind::cluster, true},
}};

std::uint16_t default_port(RedisKind kind) { return kind == RedisKind::sentinel ? 26379 : 6379; }

// Splits the text at the first `separator`; no second part if there is none.
std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text, char separator) {
    const auto at = text.find(separator);
    if (at == std::string_view::npos) return {text, std::nullopt};
    return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<std::string> percent_decoded(std::string_view text) {
    const auto encoded = boost::urls::make_pct_string_view(text);
    if (!encoded) return std::nullopt;
    return encoded->decode();
}

bool is_host_name(std::string_view host) {
    return !host.empty() &&
           std::ranges::all_of(host, [](char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; });
}

std::expected<RedisAddress, std::string> parse_address(std::string_view text, RedisKind kind) {
    RedisAddress out{.host = {}, .port = default_port(kind)};
    const auto parts = split_host_port(text);
    if (!parts)
        return Failure(text.contains(']') ? "only a port may follow an IPv6 address"
                                          : "an IPv6 address has no closing bracket");
    out.host = without_brackets(parts->host);
    if (text.starts_with('[')) {
        boost::system::error_code error;
        boost::asio::ip::make_address_v6(out.host, error);
        if (error) return Failure("the text in brackets is not an IPv6 address");
    } else if (!is_host_name(out.host)) {
        return Failure(
            "a host is missing or invalid (percent-encode special characters in the user and password; put IPv6 "
            "addresses in brackets)");
    }
    if (parts->port) {
        const auto parsed = parse_port(*parts->port);
        if (!parsed)
            return Failure(
                "a port is not a number from 1 to 65535 (percent-encode special characters in the user and password)");
        out.port = *parsed;
    }
    return out;
}

// Each returns nullopt, or a description of the problem.
using Problem = std::optional<std::string>;

Problem read_credentials(std::string_view text, RedisCredentials& into) {
    const auto [user, password] = cut(text, ':');
    auto decoded_user = percent_decoded(user);
    auto decoded_password = percent_decoded(password.value_or(""));
    if (!decoded_user || !decoded_password) return "the user or password is not correctly percent-encoded";
    if (!decoded_user->empty() && decoded_password->empty()) return "it has a user without a password";
    into = {.user = std::move(*decoded_user), .password = std::move(*decoded_password)};
    return std::nullopt;
}

Problem read_addresses(std::string_view list, RedisOptions& into) {
    std::optional<std::string_view> rest = list;
    while (rest) {
        const auto [first, after] = cut(*rest, ',');
        auto address = parse_address(first, into.kind);
        if (!address) return address.error();
        into.addresses.push_back(std::move(*address));
        rest = after;
    }
    if (into.kind == RedisKind::single && into.addresses.size() > 1)
        return "several hosts require redis+sentinel:// or redis+cluster://";
    return std::nullopt;
}

Problem read_path(std::string_view path, RedisOptions& into) {
    if (into.kind == RedisKind::cluster) {
        if (!path.empty()) return "a cluster has no numbered databases, so nothing may follow the hosts";
        return std::nullopt;
    }
    std::optional<std::string_view> db = path;
    if (into.kind == RedisKind::sentinel) {
        const auto [name, after] = cut(path, '/');
        auto decoded = percent_decoded(name);
        if (!decoded || decoded->empty()) return "the master name is missing (host:port,host:port/name)";
        into.master_name = std::move(*decoded);
        db = after;
    }
    if (!db || db->empty()) return std::nullopt;
    const auto parsed = parse_number<std::uint16_t>(*db);
    if (!parsed) return "the database is not a number";
    into.db = *parsed;
    return std::nullopt;
}

Problem read_parameter(std::string_view parameter, RedisOptions& into) {
    const auto [name, text] = cut(parameter, '=');
    auto value = percent_decoded(text.value_or(""));
    if (!value) return "a parameter is not correctly percent-encoded";
    const std::pair<std::string_view, std::string*> of_tls[] = {
        {"ca_file", &into.ca_file}, {"cert_file", &into.cert_file}, {"key_file", &into.key_file}};
    for (const auto& [known, place] : of_tls) {
        if (name != known) continue;
        if (!into.tls) return std::string(known) + " requires TLS; the scheme must begin with rediss";
        *place = std::move(*value);
        return std::nullopt;
    }
    const std::pair<std::string_view, std::string*> of_sentinel[] = {
        {"sentinel_user", &into.sentinel_credentials.user}, {"sentinel_password", &into.sentinel_credentials.password}};
    for (const auto& [known, place] : of_sentinel) {
        if (name != known) continue;
        if (into.kind != RedisKind::sentinel) return std::string(known) + " is only for redis+sentinel://";
        *place = std::move(*value);
        return std::nullopt;
    }
    return "unknown parameter; the parameters are ca_file, cert_file, key_file, sentinel_user and sentinel_password";
}

Problem read_parameters(std::string_view list, RedisOptions& into) {
    std::optional<std::string_view> rest = list;
    while (rest) {
        const auto [first, after] = cut(*rest, '&');
        if (Problem problem = read_parameter(first, into)) return problem;
        rest = after;
    }
    if (into.cert_file.empty() != into.key_file.empty()) return "cert_file and key_file must be set together";
    if (!into.sentinel_credentials.user.empty() && into.sentinel_credentials.password.empty())
        return "sentinel_user requires sentinel_password";
    return std::nullopt;
}

}  // namespace

std::string RedisAddress::text() const {
    const bool brackets = host.contains(':');
    return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::expected<RedisOptions, std::string> parse_redis_url(std::string_view url) {
    const auto scheme_end = url.find("://");
    const auto scheme = std::ranges::find(schemes, url.substr(0, scheme_end), &Scheme::name);
    if (scheme_end == std::string_view::npos || scheme == schemes.end())
        return Failure("it must begin with redis://, redis+sentinel:// or redis+cluster:// (rediss for TLS)");
    if (url.contains('#')) return Failure("it must not have a fragment (write '#' in a password as %23)");

    RedisOptions out;
    out.kind = scheme->kind;
    out.tls = scheme->tls;
    const auto [before_query, query] = cut(url.substr(scheme_end + 3), '?');
    const auto [authority, path] = cut(before_query, '/');
    std::string_view hosts = authority;
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        if (Problem problem = read_credentials(authority.substr(0, at), out.credentials)) return Failure(*problem);
        hosts = authority.substr(at + 1);
    }
    out.sentinel_credentials = out.credentials;
    if (Problem problem = read_addresses(hosts, out)) return Failure(*problem);
    if (Problem problem = read_path(path.value_or(""), out)) return Failure(*problem);
    if (!query) return out;
    if (Problem problem = read_parameters(*query, out)) return Failure(*problem);
    return out;
}

}  // namespace consentry::storage
