// The content of a mail: the texts of its kind in the reader's language (locales/*.json), as plain text and as HTML.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.hpp"
#include "base/locales.hpp"
#include "features/mail/mail_kind.hpp"
#include "features/mail/mails.hpp"

namespace consentry {

// On whose behalf mails are sent and where their links lead (REC-4). Only the settings determine this, never a request.
struct MailSite {
    std::string name;
    std::string url;
    std::string support;  // an address; empty: none is shown
    std::string verification_url;
    std::string forgot_password_url;
    std::chrono::minutes verification_lifetime{};
    std::chrono::minutes forgot_password_lifetime{};
    seconds temporary_password_lifetime{};
    std::chrono::hours set_up_lifetime{};
};

struct Wording {
    std::string subject;
    std::string text;
    std::string html;
};

class MailWriter {
public:
    // `locales` must outlive this object.
    MailWriter(const Locales& locales, MailSite site);

    // `written_at` is when the reported event happened. Throws std::runtime_error if a fact is missing that the mail
    // requires, and std::logic_error if the layout has a placeholder that nothing fills.
    Wording write(MailKind kind, Language language, const MailFacts& facts, TimePoint written_at) const;

private:
    const Locales& locales_;
    const MailSite site_;
};

}  // namespace consentry
