// The interface for sending mails. Two engines implement it: files and SMTP.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "features/mail/repository.hpp"

namespace consentry {

// A mail ready to be sent.
struct PostedMail {
    MailId id;
    TimePoint written_at;
    std::string from;
    std::string to;
    std::string content;  // RFC 5322, lines end with CR LF
};

struct Posting {
    enum class Verdict {
        done,
        refused,     // this mail, permanently
        put_off,     // this mail, temporarily
        no_service,  // every mail, temporarily
    };
    Verdict verdict = Verdict::no_service;
    std::string reason;  // for the operator; contains nothing of the mail
};

class MailTransport {
public:
    virtual ~MailTransport() = default;
    // How long post() may take. SmtpClient::Options: twice half a minute, ten minutes for the server's reply, and some
    // seconds until libcurl notices.
    static constexpr std::chrono::minutes longest{12};

    // Whether bytes beyond ASCII arrive as they are. Of mail servers, only those with 8BITMIME promise that.
    virtual bool takes_eight_bits() const { return false; }

    // Blocks. Not thread-safe.
    virtual Posting post(const PostedMail& mail, const std::stop_token& stop) = 0;
};

}  // namespace consentry
