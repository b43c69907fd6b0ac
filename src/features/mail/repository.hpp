// The SQL of the mail queue.
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
// Marks the rows that a delivery has claimed. Each batch has a new mark.
using MailMark = Id<struct MailMarkTag>;

struct StoredMail {
    MailId id;
    UserId user;
    std::string address;
    std::string language;  // as stored: a newer version may know more languages and kinds
    std::string kind;
    crypto::SealingKeys::Sealed payload;
    TimePoint created_at;
    std::int64_t attempt = 0;  // including this one
};

// When a mail is due: before `now`, or after `latest`, which no mail is put off beyond unless the clock was set back.
// The claim of another instance ends in the same way: at `now`, or beyond `latest_claim`.
struct MailDue {
    TimePoint now;
    TimePoint latest;
    TimePoint latest_claim;
};

// An announcement to all users waits for the mails that a user expects.
enum class MailTurn { ordinary, announcement };

struct WaitingMails {
    std::int64_t ordinary = 0;
    std::int64_t announcements = 0;
};

class MailRepository {
public:
    explicit MailRepository(storage::Database& database) : database_(database) {}

    // Address and language are the account's. Expect::one: the account exists.
    static void add_insert(storage::Transaction& transaction, MailId id, UserId to, MailKind kind,
                           const crypto::SealingKeys::Sealed& payload, TimePoint now);

    // Returns whether take() would find a mail. Read-only, so it is cheap to poll.
    awaitable<bool> any_due(MailDue due);
    // Claims up to `limit` due mails of this turn, oldest first. No other instance gets them before `until`.
    awaitable<std::vector<StoredMail>> take(MailMark mark, MailDue due, TimePoint until, MailTurn turn,
                                            std::int64_t limit);
    // Extends the claim to `until`. Returns how many rows the mark still holds.
    awaitable<std::int64_t> keep(MailMark mark, TimePoint until);
    // Releases the rows that the mark still holds, and takes back that they count as tried.
    awaitable<void> release(MailMark mark);

    // Expect::one: the mark still holds the mail.
    static void add_erase(storage::Transaction& transaction, MailId id, MailMark mark);
    // Deletes a mail that the server has accepted.
    awaitable<void> erase(MailId id, MailMark mark);
    awaitable<void> put_off(MailId id, MailMark mark, TimePoint due_at, std::string why);
    awaitable<void> give_up(MailId id, MailMark mark, TimePoint now, std::string why);

    // Counts the mails that have not been abandoned.
    awaitable<WaitingMails> count_waiting();
    awaitable<void> erase_failed(TimePoint before);

private:
    storage::Database& database_;
};

}  // namespace consentry
