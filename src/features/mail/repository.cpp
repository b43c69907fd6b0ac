#include "features/mail/repository.hpp"

namespace consentry {

using storage::Expect;

void MailRepository::add_insert(storage::Transaction& transaction, MailId id, UserId to, MailKind kind,
                                const crypto::SealingKeys::Sealed& payload, TimePoint now) {
    transaction.add(Expect::one,
                    "INSERT INTO mails (id, user_id, address, language, kind, iv, payload, created_at, due_at) "
                    "SELECT $1, id, email, language, $3, $4, $5, $6, $6 FROM users "
                    "WHERE id = $2 AND deleted_at IS NULL",
                    id, to, http::name_of(kind), payload.iv, payload.bytes, now);
}

}  // namespace consentry
