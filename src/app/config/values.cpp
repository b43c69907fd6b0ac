#include "app/config/values.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <system_error>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/ascii.hpp"
#include "base/host_port.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t milliseconds;
};
constexpr std::array<Unit, 5> units{{{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

constexpr std::string_view digits = "0123456789";
constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool is_made_of(std::string_view text, std::string_view set, std::string_view more) {
    return std::ranges::all_of(text, [&](char c) { return set.contains(c) || digits.contains(c) || more.contains(c); });
}

bool occurs_once(std::string_view text, std::string_view part) {
    const std::size_t first = text.find(part);
    return first != std::string_view::npos && text.find(part, first + 1) == std::string_view::npos;
}

}  // namespace

std::optional<bool> parse_flag(std::string_view text) {
    if (text == "true") return true;
    if (text == "false") return false;
    return std::nullopt;
}

std::optional<std::int64_t> parse_whole_number(std::string_view text) {
    return text.starts_with('-') ? std::nullopt : parse_number<std::int64_t>(text);
}

std::optional<milliseconds> parse_duration(std::string_view text) {
    const std::size_t unit_at = text.find_first_not_of(digits);
    if (unit_at == std::string_view::npos) return std::nullopt;
    const auto number = parse_whole_number(text.substr(0, unit_at));
    const auto unit = std::ranges::find(units, text.substr(unit_at), &Unit::name);
    if (!number || unit == units.end()) return std::nullopt;
    if (*number > std::numeric_limits<std::int64_t>::max() / unit->milliseconds) return std::nullopt;
    return milliseconds{*number * unit->milliseconds};
}

std::string duration_text(milliseconds duration) {
    if (duration == milliseconds{0}) return "0s";
    const auto divides = [&](Unit unit) { return duration.count() % unit.milliseconds == 0; };
    const bool one_day = duration == std::chrono::hours{24};  // conventionally written as 24h
    const auto unit = std::ranges::find_if(units.begin() + (one_day ? 1 : 0), units.end(), divides);
    return std::to_string(duration.count() / unit->milliseconds) + std::string(unit->name);
}

bool is_timezone(std::string_view name) {
    if (name == "UTC") return true;
    // A name is a path below the time zone database's folder: a name that leads outside must not reach the file system.
    if (name.empty() || name.size() > 64 || !is_made_of(name, letters, "_+-/")) return false;
    if (name.starts_with('/') || name.ends_with('/') || name.contains("//")) return false;
    const std::filesystem::path file = std::filesystem::path("/usr/share/zoneinfo") / name;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return false;
    std::array<char, 4> magic{};
    std::ifstream stream(file, std::ios::binary);
    return stream.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == "TZif";
}

bool is_path_prefix(std::string_view path) {
    if (path.empty()) return true;
    if (path.size() > 100 || path.front() != '/' || path.ends_with('/') || path.contains("//")) return false;
    if (!is_made_of(path, letters, "/._~-")) return false;
    const std::string_view first = path.substr(1, path.find('/', 1) - 1);
    constexpr std::array taken{"docs",    "metrics",         ".well-known",     ".consentry",  "favicon.ico",  "assets",
                               "login",   "logout",          "account",         "sign-up",     "verify-email", "accept",
                               "console", "change-password", "forgot-password", "consent-log", "policies"};
    return std::ranges::find(taken, first) == taken.end() && first != "." && !path.contains("..");
}

bool is_cache_prefix(std::string_view text) {
    return !text.empty() && text.size() <= 64 && is_made_of(text, letters, "._:-");
}

std::optional<std::string> parse_public_url(std::string_view text) {
    const auto url = boost::urls::parse_absolute_uri(text);
    if (!url || url->has_userinfo() || url->has_query() || url->host().empty() || !has_possible_port(text))
        return std::nullopt;
    if (url->scheme() != "http" && url->scheme() != "https") return std::nullopt;
    while (text.ends_with('/')) text.remove_suffix(1);
    return std::string(text);
}

bool is_session_key_pattern(std::string_view text) {
    if (text.size() > 200 || !occurs_once(text, "{userId}") || !occurs_once(text, "{sessionId}")) return false;
    if (std::ranges::count(text, '{') != 2 || std::ranges::count(text, '}') != 2) return false;
    return std::ranges::all_of(text, is_visible);
}

std::expected<std::filesystem::path, std::string> parse_database_url(std::string_view text) {
    constexpr std::string_view scheme = "sqlite:";
    if (!text.starts_with(scheme)) return std::unexpected("must be sqlite:PATH or postgresql://…");
    text.remove_prefix(scheme.size());
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        if (!text.starts_with('/')) return std::unexpected("after sqlite://, the path must begin with a slash");
    }
    if (text.empty() || text.starts_with(':') || text.ends_with('/') || text.contains('?'))
        return std::unexpected("must be sqlite:PATH with the path of a file");
    if (text.starts_with("file:")) return std::unexpected("must be sqlite:PATH with the path of a file, not a URI");
    return std::filesystem::path(text);
}

std::string folder_url(const std::filesystem::path& folder) { return std::string(file_scheme) + folder.string(); }

std::optional<std::string> parse_folder_url(std::string_view text) {
    if (!text.starts_with(file_scheme) || text.contains('\0')) return std::nullopt;
    text.remove_prefix(file_scheme.size());
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        // file://HOST/PATH names another machine's disk.
        if (!text.starts_with('/')) return std::nullopt;
    }
    if (text.empty()) return std::nullopt;
    return std::string(file_scheme) + std::string(text);
}

std::optional<std::filesystem::path> folder_of_url(std::string_view url) {
    if (!url.starts_with(file_scheme)) return std::nullopt;
    return std::filesystem::path(url.substr(file_scheme.size()));
}

std::optional<std::vector<std::string>> parse_list(std::string_view text) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(text, ',')) {
        parts.emplace_back(trim(part));
        if (parts.back().empty()) return std::nullopt;
    }
    return parts;
}

std::optional<NamedKey> parse_named_key(std::string_view text) {
    if (text.empty()) return std::nullopt;
    // Base64 may end with equals signs, so the separator is the last one before that padding, or before a PEM.
    const std::size_t pem = text.find("-----BEGIN");
    const std::size_t separator = pem == text.npos ? text.substr(0, text.find_last_not_of('=') + 1).rfind('=')
                                  : pem == 0       ? text.npos
                                                   : pem - 1;
    if (separator == text.npos) return NamedKey{.kid = {}, .key = std::string(text)};
    if (separator == 0 || text[separator] != '=') return std::nullopt;
    return NamedKey{.kid = std::string(text.substr(0, separator)), .key = std::string(text.substr(separator + 1))};
}

std::string mask_url_password(std::string_view url) {
    const std::size_t authority = url.find("://");
    if (authority == std::string_view::npos) return std::string(url);
    std::string out(url);
    // Parameters first, because a password in one may contain an @.
    for (std::size_t at = out.find("password="); at != std::string::npos; at = out.find("password=", at)) {
        at += std::string_view("password=").size();
        out.replace(at, std::min(out.find('&', at), out.size()) - at, "***");
    }
    // Use the last @: passwords are not always escaped in practice, and hiding too much is better than too little.
    const std::size_t at = out.rfind('@');
    const std::size_t colon = out.find(':', authority + 3);
    if (at == std::string::npos || colon == std::string::npos || colon > at) return out;
    return out.replace(colon + 1, at - colon - 1, "***");
}

}  // namespace consentry
