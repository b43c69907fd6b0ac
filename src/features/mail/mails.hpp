// Mails to the owners of accounts: written down in the transaction of the change they tell about, sent afterwards.
//
// The recipient is an account. Its address is read by the statement that writes the mail, so that no request can name
// another (REC-5), and neither a slow nor a dead mail server is in any request's way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "crypto/aead.hpp"
#include "features/activity/audit.hpp"
#include "features/mail/mail_kind.hpp"
#include "features/mail/repository.hpp"
#include "storage/database.hpp"

namespace consentry {

// Names and values for the text; see MailKind.
using MailFacts = std::vector<std::pair<std::string, std::string>>;

class Mails {
public:
    // `secrets`: the first one seals, all open.
    explicit Mails(const std::vector<std::string>& secrets);

    // Expect::one: the account exists and is not deleted.
    void add(storage::Transaction& transaction, UserId to, MailKind kind, MailFacts facts, TimePoint now);
    // A notice of what somebody did, and from where.
    void add_notice(storage::Transaction& transaction, UserId to, MailKind kind, const Cause& cause, TimePoint now,
                    MailFacts facts = {});

    // Whoever sends is told when a mail was written down, or soon will be: its transaction commits a moment later. Set
    // once, before there are any; callable from every thread.
    void when_written(std::function<void()> wake) { wake_ = std::move(wake); }
    // The same for what is worked off between mails.
    void wake() const {
        if (wake_) wake_();
    }

    // The facts of a stored mail. nullopt: damaged, or sealed under a secret that is not among ours.
    std::optional<MailFacts> open(MailId id, const crypto::SealingKeys::Sealed& payload) const;

private:
    const crypto::SealingKeys keys_;
    std::function<void()> wake_;
};

}  // namespace consentry
