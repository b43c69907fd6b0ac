// The settings of mails (MAIL_*, EMAIL_*, HOME_*) as what sends them wants them.
#pragma once

#include <memory>

#include "app/config/config.hpp"
#include "features/mail/transport.hpp"
#include "features/mail/wording.hpp"

namespace consentry {

// Which engine is behind the port. Throws std::runtime_error naming the setting and what is wrong.
std::unique_ptr<MailTransport> open_mail_transport(const Config& config);

// Looks at it, for `config check`, and changes nothing: no folder is made, and no mail is sent. Throws
// std::runtime_error where somebody must mend something, Unavailable where the mail server does not take us.
void look_at_mail(const Config& config);

MailSite mail_site(const Config& config);

}  // namespace consentry
