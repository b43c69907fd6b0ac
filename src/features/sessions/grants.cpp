#include "features/sessions/grants.hpp"

#include "features/sessions/repository.hpp"
#include "features/users/account_tokens.hpp"
#include "features/users/generations.hpp"
#include "features/users/repository.hpp"

namespace consentry {

using storage::Expect;
using storage::sql;

void Grants::add_end(storage::Transaction& transaction, UserId user, const Kept& kept, std::string_view reason,
                     TimePoint now) {
    SessionRepository::add_revoke_all(transaction, user, kept.session, reason, now);
    AccountTokens::add_erase(transaction, user);
    if (kept.identities)
        transaction.add(Expect::any,
                        sql<"UPDATE identities SET security_version = ", version_sql<"$1">,
                            " WHERE user_id = $1 AND security_version + 1 = ", version_sql<"$1">>,
                        user);
    else
        UserRepository::add_erase_identities(transaction, user);
    // Devices that are not kept are not deleted: their rows distinguish a new device from an account's first.
    if (kept.devices)
        transaction.add(Expect::any,
                        sql<"UPDATE known_devices SET security_version = ", version_sql<"$1">,
                            " WHERE user_id = $1 AND security_version + 1 = ", version_sql<"$1">>,
                        user);
}

void Grants::add_rise(storage::Transaction& transaction, UserId user, std::int64_t expected, const Kept& kept,
                      std::string_view reason, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE users SET security_version = security_version + 1, updated_at = $3 "
                    "WHERE id = $1 AND security_version = $2 AND deleted_at IS NULL",
                    user, expected, now);
    add_end(transaction, user, kept, reason, now);
}

void Grants::add_rise(storage::Transaction& transaction, UserId user, const Kept& kept, std::string_view reason,
                      TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE users SET security_version = security_version + 1, updated_at = $2 "
                    "WHERE id = $1 AND deleted_at IS NULL",
                    user, now);
    add_end(transaction, user, kept, reason, now);
}

}  // namespace consentry
