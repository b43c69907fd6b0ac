// The SQL of mails.
#pragma once

#include <string>
#include <vector>

#include "crypto/aead.hpp"
#include "features/mail/mail_kind.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;
using MailId = Id<struct MailTag>;
// Whoever sends marks the rows it has taken; a mark is used for one batch.
using MailMark = Id<struct MailMarkTag>;

struct StoredMail {
    MailId id;
    UserId user;
    std::string address;
    std::string language;  // as stored: a newer version may know more of them, and of kinds
    std::string kind;
    crypto::SealingKeys::Sealed payload;
    TimePoint created_at;
    std::int64_t attempt = 0;  // this one included
};

class MailRepository {
public:
    explicit MailRepository(storage::Database& database) : database_(database) {}

    // Address and language are the account's. Expect::one: there is such an account.
    static void add_insert(storage::Transaction& transaction, MailId id, UserId to, MailKind kind,
                           const crypto::SealingKeys::Sealed& payload, TimePoint now);

    // Whether take() would find something: a reading look, for those who look often.
    awaitable<bool> any_due(TimePoint now);
    // Up to `limit` due mails, oldest first, which nobody else gets before `until`.
    awaitable<std::vector<StoredMail>> take(MailMark mark, TimePoint now, TimePoint until, std::int64_t limit);
    // How many rows the mark still holds, kept until then.
    awaitable<std::int64_t> keep(MailMark mark, TimePoint until);
    // Gives back what the mark holds.
    awaitable<void> release(MailMark mark);

    // The server has it.
    awaitable<void> erase(MailId id, MailMark mark);
    awaitable<void> put_off(MailId id, MailMark mark, TimePoint due_at, std::string why);
    awaitable<void> give_up(MailId id, MailMark mark, TimePoint now, std::string why);

    // Those that were not given up.
    awaitable<std::int64_t> count_waiting();
    awaitable<void> erase_failed(TimePoint before);

private:
    storage::Database& database_;
};

}  // namespace consentry
