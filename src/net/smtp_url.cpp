#include "net/smtp_url.hpp"

#include <algorithm>
#include <utility>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/ascii.hpp"
#include "base/host_port.hpp"

namespace consentry::net {
namespace {

constexpr std::uint16_t submission_port = 587;   // RFC 6409
constexpr std::uint16_t submissions_port = 465;  // RFC 8314

std::unexpected<std::string> refused(std::string why) { return std::unexpected(std::move(why)); }

// libcurl's strings end at a NUL, and the server's commands at a line end.
bool is_one_line(std::string_view text) { return std::ranges::none_of(text, is_control); }

}  // namespace

std::expected<SmtpServer, std::string> parse_smtp_url(std::string_view text) {
    const auto url = boost::urls::parse_absolute_uri(text);
    if (!url || (url->scheme() != "smtp" && url->scheme() != "smtps") || url->host().empty())
        return refused("must be file:FOLDER, smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT");
    if (!url->encoded_path().empty() && url->encoded_path() != "/")
        return refused("must not contain a path after the port");

    SmtpServer out;
    out.host = std::string(url->encoded_host());
    if (url->scheme() == "smtps") out.tls = SmtpTls::implicit;
    const auto port = url->has_port()                ? parse_port(url->port())
                      : out.tls == SmtpTls::implicit ? submissions_port
                                                     : submission_port;
    if (!port) return refused("must have no port or a port from 1 to 65535");
    out.port = *port;
    out.user = url->user();
    out.password = url->password();
    if (!is_one_line(out.user) || !is_one_line(out.password))
        return refused("must not contain control characters in the user or password");

    for (const auto& parameter : url->params()) {
        if (parameter.key == "ca_file" && !parameter.value.empty() && is_one_line(parameter.value)) {
            out.ca_file = parameter.value;
        } else if (parameter.key == "tls" && parameter.value == "none" && out.tls != SmtpTls::implicit) {
            out.tls = SmtpTls::none;
        } else {
            return refused("must have no parameters except ca_file=FILE and, with smtp://, tls=none");
        }
    }
    if (out.tls == SmtpTls::none && !out.user.empty())
        return refused("must not send a password without TLS; remove USER:PASSWORD or tls=none");
    if (out.user.empty() != out.password.empty()) return refused("must have both a user and a password, or neither");
    return out;
}

}  // namespace consentry::net
