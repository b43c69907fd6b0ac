// Sends mail to a mail server over libcurl: TLS as the URL demands, verified; time is bounded.
//
// Blocking: for a thread that may wait. The connection is kept for the next mail, and replaced if the server has ended
// it meanwhile; only one thread at a time may use a client.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "net/smtp_url.hpp"

namespace consentry::net {

struct SmtpAnswer {
    enum class Verdict {
        accepted,    // the server has taken responsibility for the mail
        refused,     // permanently: 5xx for this mail (RFC 5321 section 4.2.1)
        put_off,     // temporarily: 4xx for this mail
        no_service,  // no connection, no trust, no login, no answer: any other mail would fail as well
    };
    Verdict verdict = Verdict::no_service;
    // "550 5.1.1", or why the server could not be reached. Never the server's own text, which may quote the mail.
    std::string reason;
};

class SmtpClient {
public:
    struct Options {
        SmtpServer server;
        milliseconds connect_timeout{10'000};
        // Until the server has the whole mail, including the connection. Begins anew if a kept connection has ended.
        milliseconds timeout{30'000};
        // Then, for its reply. A server that checks the content first may need minutes (RFC 5321 section 4.5.3.2.6),
        // and a mail that is sent again meanwhile arrives twice.
        milliseconds answer_timeout{600'000};
        // Once `stop` is requested: how long a mail that the server is already reading may still take, and how long
        // QUIT may take.
        milliseconds parting{5'000};
    };
    explicit SmtpClient(Options options);
    ~SmtpClient();
    SmtpClient(const SmtpClient&) = delete;
    SmtpClient& operator=(const SmtpClient&) = delete;

    // `content`: header and body with CR LF line ends (RFC 5322); this function doubles leading dots. Throws
    // std::invalid_argument unless each address is non-empty printable ASCII without spaces and angle brackets.
    SmtpAnswer send(const std::string& from, const std::string& to, std::string_view content,
                    const std::stop_token& stop = {});

    // Connects and logs in as for a mail, but sends none.
    SmtpAnswer greet();

private:
    struct Impl;
    class Call;
    const std::unique_ptr<Impl> impl_;
};

}  // namespace consentry::net
