// A real mail server for one test (tests/real/mail.sh). It stores the mails it receives and fails on command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/mailbox.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

enum class MailServerTls { none, starttls, implicit };

struct SmtpMail {
    std::string from;  // the envelope sender
    std::string to;
    bool tls = false;
    std::string user;  // the authenticated user
    ReceivedMail mail;
};

class MailServer {
public:
    // If `user` is set, the server accepts mails only from that user.
    explicit MailServer(MailServerTls tls = MailServerTls::starttls, std::string user = {});
    ~MailServer();
    MailServer(const MailServer&) = delete;
    MailServer& operator=(const MailServer&) = delete;

    // The value for MAIL_URL, with the correct user, password and certificates.
    std::string url() const;
    std::uint16_t port() const { return port_; }
    const std::string& password() const { return password_; }
    const std::string& ca_file() const { return ca_file_; }
    const std::string& untrusted_ca_file() const { return untrusted_ca_file_; }

    std::vector<SmtpMail> mails() const;
    // Waits until `count` mails have arrived. Throws std::runtime_error after twenty seconds.
    std::vector<SmtpMail> wait_for(std::size_t count) const;
    std::size_t connections() const;

    // Example: {"step": "rcpt", "answer": "550 5.1.1 Nobody"}; see mail_sink.py.
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
