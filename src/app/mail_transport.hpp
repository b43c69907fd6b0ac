// Maps the mail settings (MAIL_*, EMAIL_*, HOME_*) to the mail transport.
#pragma once

#include <memory>

#include "app/config/config.hpp"
#include "features/mail/transport.hpp"
#include "features/mail/wording.hpp"

namespace consentry {

// Selects the engine behind the port. Throws std::runtime_error naming the setting and the problem.
std::unique_ptr<MailTransport> open_mail_transport(const Config& config);

// Checks the transport for `config check` without modifying anything: creates no folder and sends no mail. Throws
// std::runtime_error if the operator has to fix something, Unavailable if the mail server does not accept the
// connection.
void look_at_mail(const Config& config);

MailSite mail_site(const Config& config);

}  // namespace consentry
