// The SQL of mails.
#pragma once

#include "crypto/aead.hpp"
#include "features/mail/mail_kind.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;
using MailId = Id<struct MailTag>;

class MailRepository {
public:
    explicit MailRepository(storage::Database& database) : database_(database) {}

    // Address and language are the account's. Expect::one: there is such an account.
    static void add_insert(storage::Transaction& transaction, MailId id, UserId to, MailKind kind,
                           const crypto::SealingKeys::Sealed& payload, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
