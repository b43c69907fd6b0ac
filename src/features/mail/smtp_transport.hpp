// Sends mails to a mail server by SMTP.
#pragma once

#include "features/mail/transport.hpp"
#include "net/smtp_client.hpp"

namespace consentry {

class SmtpTransport final : public MailTransport {
public:
    explicit SmtpTransport(net::SmtpClient::Options options) : client_(std::move(options)) {}

    Posting post(const PostedMail& mail, const std::stop_token& stop) override;

private:
    net::SmtpClient client_;
};

}  // namespace consentry
