#include "app/config/sentry_dsn.hpp"

#include <algorithm>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/ascii.hpp"
#include "base/host_port.hpp"

namespace consentry {
namespace {

bool is_dsn_part(std::string_view text) {
    return !text.empty() && text.size() <= 64 &&
           std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

}  // namespace

std::optional<SentryDsn> parse_sentry_dsn(std::string_view text) {
    const auto url = boost::urls::parse_absolute_uri(text);
    if (!url || (url->scheme() != "http" && url->scheme() != "https")) return std::nullopt;
    if (url->host().empty() || url->has_query() || !has_possible_port(text)) return std::nullopt;
    const std::string key = url->user();
    const std::string path(url->encoded_path().data(), url->encoded_path().size());
    const std::size_t slash = path.rfind('/');  // what precedes the project is the path of the installation
    if (slash == std::string::npos || !is_dsn_part(key) || !is_dsn_part(path.substr(slash + 1))) return std::nullopt;
    std::string where = url->scheme();
    const auto authority = url->encoded_host_and_port();
    where.append("://").append(authority.data(), authority.size()).append(path.substr(0, slash));
    where.append("/api/").append(path.substr(slash + 1)).append("/envelope/");
    return SentryDsn{std::move(where), key};
}

}  // namespace consentry
