// A real mail server of a test's own (tests/real/mail.sh), which keeps what it is sent and fails where it is told to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/mailbox.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

enum class MailServerTls { none, starttls, implicit };

struct SmtpMail {
    std::string from;  // of the envelope
    std::string to;
    bool tls = false;
    std::string user;  // who logged in
    ReceivedMail mail;
};

class MailServer {
public:
    // With a `user`, it takes mails only from this one.
    explicit MailServer(MailServerTls tls = MailServerTls::starttls, std::string user = {});
    ~MailServer();
    MailServer(const MailServer&) = delete;
    MailServer& operator=(const MailServer&) = delete;

    // For MAIL_URL: with user, password and certificates as they are right.
    std::string url() const;
    std::uint16_t port() const { return port_; }
    const std::string& password() const { return password_; }
    const std::string& ca_file() const { return ca_file_; }
    const std::string& untrusted_ca_file() const { return untrusted_ca_file_; }

    std::vector<SmtpMail> mails() const;
    // As soon as there are so many; throws std::runtime_error after twenty seconds.
    std::vector<SmtpMail> wait_for(std::size_t count) const;
    std::size_t connections() const;

    // {"step": "rcpt", "answer": "550 5.1.1 Nobody"}: see mail_sink.py.
    void fail(const std::string& fault) const;
    void work_again() const;

    void halt();
    void start();

private:
    const MailServerTls tls_;
    const std::string user_;
    TempFolder folder_;
    std::uint16_t port_ = 0;
    std::string password_;
    std::string ca_file_;
    std::string untrusted_ca_file_;
};

}  // namespace consentry::tests
