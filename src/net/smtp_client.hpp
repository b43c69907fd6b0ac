// Mails to a mail server, over libcurl: TLS as the address demands it, verified; time is bounded.
//
// Blocking: for a thread that may wait. The connection is kept for the next mail; one thread at a time may use a
// client.
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
        accepted,    // the server has it
        refused,     // for good: 5xx to this mail (RFC 5321 section 4.2.1)
        put_off,     // 4xx to this mail
        no_service,  // no connection, no trust, no login, no answer: another mail would fare no better
    };
    Verdict verdict = Verdict::no_service;
    // "550 5.1.1", or what kept from speaking to the server. Never the server's own words: they may repeat the mail.
    std::string reason;
};

class SmtpClient {
public:
    struct Options {
        SmtpServer server;
        milliseconds connect_timeout{10'000};
        milliseconds timeout{30'000};  // for one mail, connecting included
        // Once told to stop: how long a mail that the server is reading may still take; and how long taking leave may.
        milliseconds parting{5'000};
    };
    explicit SmtpClient(Options options);
    ~SmtpClient();
    SmtpClient(const SmtpClient&) = delete;
    SmtpClient& operator=(const SmtpClient&) = delete;

    // `content`: header and body with CR LF at the end of each line (RFC 5322); dots are doubled here. Throws
    // std::invalid_argument for an address that is more than one word.
    SmtpAnswer send(const std::string& from, const std::string& to, std::string_view content,
                    const std::stop_token& stop = {});

    // Connects and logs in as for a mail, and sends none.
    SmtpAnswer greet();

private:
    struct Impl;
    class Call;
    const std::unique_ptr<Impl> impl_;
};

}  // namespace consentry::net
