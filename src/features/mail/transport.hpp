// The way out for mails: one of two engines behind it, files and SMTP.
#pragma once

#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "features/mail/repository.hpp"

namespace consentry {

// A mail as it travels.
struct PostedMail {
    MailId id;
    TimePoint written_at;
    std::string from;
    std::string to;
    std::string content;  // RFC 5322, with CR LF
};

struct Posting {
    enum class Verdict {
        done,
        refused,     // this mail, for good
        put_off,     // this mail, for now
        no_service,  // any mail, for now
    };
    Verdict verdict = Verdict::no_service;
    std::string reason;  // for the operator; nothing of the mail is in it
};

class MailTransport {
public:
    virtual ~MailTransport() = default;
    // Blocks. One thread at a time.
    virtual Posting post(const PostedMail& mail, const std::stop_token& stop) = 0;
};

}  // namespace consentry
