// What a mail says: the texts of its kind in the reader's language (locales/*.json), as plain text and as HTML.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.hpp"
#include "base/locales.hpp"
#include "features/mail/mail_kind.hpp"
#include "features/mail/mails.hpp"

namespace consentry {

// Whom mails speak for, and where their links lead (REC-4): the settings alone say so, no request does.
struct MailSite {
    std::string name;
    std::string url;
    std::string support;  // an address; empty: none
    std::string verification_url;
    std::string forgot_password_url;
    std::chrono::minutes verification_lifetime{};
    std::chrono::minutes forgot_password_lifetime{};
    seconds temporary_password_lifetime{};
};

struct Wording {
    std::string subject;
    std::string text;
    std::string html;
};

class MailWriter {
public:
    // `locales` outlives it. Throws std::logic_error where the layout lacks a place.
    MailWriter(const Locales& locales, MailSite site);

    // `written_at`: when what the mail tells of happened. Throws std::runtime_error where a fact is missing without
    // which the mail is none.
    Wording write(MailKind kind, Language language, const MailFacts& facts, TimePoint written_at) const;

private:
    const Locales& locales_;
    const MailSite site_;
};

}  // namespace consentry
