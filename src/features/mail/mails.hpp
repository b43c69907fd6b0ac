// Mails to the owners of accounts: written down in the transaction of the change they tell about, sent afterwards.
//
// The recipient is an account. Its address is read by the statement that writes the mail, so that no request can name
// another (REC-5), and neither a slow nor a dead mail server is in any request's way.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "crypto/aead.hpp"
#include "features/activity/audit.hpp"
#include "features/mail/mail_kind.hpp"
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

    // Rises with each mail that was written down, or soon will be: whoever sends looks again when it has.
    std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }
    const crypto::SealingKeys& keys() const { return keys_; }

private:
    const crypto::SealingKeys keys_;
    std::atomic<std::uint64_t> written_{0};
};

}  // namespace consentry
