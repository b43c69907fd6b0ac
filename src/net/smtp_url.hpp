// The URL of a mail server: smtp://USER:PASSWORD@HOST:PORT, smtps://…, with ?tls=none and ?ca_file=FILE.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace consentry::net {

enum class SmtpTls {
    starttls,  // STARTTLS is mandatory: the client sends nothing more to a server without it (RFC 3207)
    implicit,  // TLS from the first byte (RFC 8314)
    none,
};

struct SmtpServer {
    std::string host;  // an IPv6 address is in brackets
    std::uint16_t port = 0;
    SmtpTls tls = SmtpTls::starttls;
    std::string user;  // empty: no login
    std::string password;
    std::string ca_file;  // trusted instead of the system's certificates
};

// On failure returns the problem as "must be ...", without any part of the URL, which may contain a password.
std::expected<SmtpServer, std::string> parse_smtp_url(std::string_view text);

}  // namespace consentry::net
