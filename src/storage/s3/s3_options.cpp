#include "storage/s3/s3_options.hpp"

#include <algorithm>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/ascii.hpp"
#include "base/host_port.hpp"

namespace consentry::storage {
namespace {

std::unexpected<std::string> refused(std::string why) { return std::unexpected(std::move(why)); }

// libcurl takes zero-terminated strings.
bool is_file_name(std::string_view text) { return !text.empty() && !text.contains('\0'); }

}  // namespace

std::expected<S3Server, std::string> parse_s3_url(std::string_view text) {
    constexpr auto form = "must be s3: or s3://HOST:PORT, optionally followed by parameters";
    const auto url = boost::urls::parse_uri(text);
    if (!url || url->scheme() != "s3" || url->has_userinfo() || url->has_fragment()) return refused(form);
    if (!url->encoded_path().empty() && url->encoded_path() != "/") return refused(form);
    if (url->has_authority() ? url->encoded_host().empty() : !url->encoded_path().empty()) return refused(form);

    S3Server out{.buckets_by_host = !url->has_authority()};
    for (const auto& parameter : url->params()) {
        if (parameter.key == "style" && (parameter.value == "path" || parameter.value == "virtual")) {
            out.buckets_by_host = parameter.value == "virtual";
        } else if (parameter.key == "tls" && parameter.value == "none" && url->has_authority()) {
            out.tls = false;
        } else if (parameter.key == "ca_file" && is_file_name(parameter.value)) {
            out.ca_file = parameter.value;
        } else {
            return refused(
                "must have no parameters except style=path or style=virtual, ca_file=FILE and, with a host, tls=none");
        }
    }
    if (!url->has_authority()) return out;
    const std::uint16_t default_port = out.tls ? 443 : 80;
    const auto port = url->has_port() ? parse_port(url->port()) : default_port;
    if (!port) return refused("must have no port or a port from 1 to 65535");
    if (url->host_type() == boost::urls::host_type::ipvfuture) return refused(form);
    if (out.buckets_by_host && url->host_type() != boost::urls::host_type::name)
        return refused("must have a host name, not an IP address, with style=virtual");
    // Both sides sign the Host header, from which clients omit a default port.
    out.host = std::string(url->encoded_host());
    if (*port != default_port) out.host += ':' + std::to_string(*port);
    return out;
}

bool is_bucket_name(std::string_view text) {
    const auto is_end = [](char c) { return is_lower_letter(c) || is_digit(c); };
    return text.size() >= 3 && text.size() <= 63 && is_end(text.front()) && is_end(text.back()) &&
           !text.contains("..") && std::ranges::all_of(text, [&](char c) { return is_end(c) || c == '-' || c == '.'; });
}

}  // namespace consentry::storage
