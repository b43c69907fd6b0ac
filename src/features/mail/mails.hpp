// Mails to the owners of accounts: queued in the transaction of the change they report, sent afterwards.
//
// The recipient is always an account. The statement that queues the mail reads the account's address, so a request
// cannot direct it elsewhere (REC-5). A slow or dead mail server delays no request.
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
    // The first of `secrets` seals; all of them open.
    explicit Mails(const std::vector<std::string>& secrets);

    // Expect::one: the account exists and is not deleted.
    void add(storage::Transaction& transaction, UserId to, MailKind kind, MailFacts facts, TimePoint now);
    // Queues a notice of an action and where it came from.
    void add_notice(storage::Transaction& transaction, UserId to, MailKind kind, const Cause& cause, TimePoint now,
                    MailFacts facts = {});

    // Sets the callback that wakes the delivery when a mail has been queued; its transaction may commit a moment later.
    // Call this once, before the first mail. `wake` must be callable from any thread.
    void when_written(std::function<void()> wake) { wake_ = std::move(wake); }
    // Wakes the delivery for the work it does between mails.
    void wake() const {
        if (wake_) wake_();
    }

    // Returns the facts of a stored mail, or nullopt if they are damaged or sealed under an unknown secret.
    std::optional<MailFacts> open(MailId id, const crypto::SealingKeys::Sealed& payload) const;

private:
    const crypto::SealingKeys keys_;
    std::function<void()> wake_;
};

}  // namespace consentry
