#include "features/users/account_tokens.hpp"

#include "crypto/digest.hpp"
#include "crypto/random.hpp"
#include "features/users/generations.hpp"
#include "storage/portions.hpp"

namespace consentry {

using storage::Expect;
using storage::sql;

std::string AccountTokens::add(storage::Transaction& transaction, UserId user, TokenPurpose purpose,
                               const LinkSettings& settings, TimePoint now) {
    std::string token = crypto::random_text(settings.token_length, crypto::alphanumerics);
    const std::string reference =
        settings.reference_prefix + '-' + crypto::random_text(settings.reference_length, crypto::alphanumerics);
    transaction.add(Expect::one,
                    sql<"INSERT INTO account_tokens (user_id, purpose, digest, email, reference, created_at, "
                        "expires_at, security_version, epoch) "
                        "SELECT id, $2, $3, email, $4, $5, $6, security_version, ",
                        epoch_sql,
                        " FROM users WHERE id = $1 AND deleted_at IS NULL "
                        "ON CONFLICT (user_id, purpose) DO UPDATE SET digest = excluded.digest, "
                        "email = excluded.email, reference = excluded.reference, created_at = excluded.created_at, "
                        "expires_at = excluded.expires_at, security_version = excluded.security_version, "
                        "epoch = excluded.epoch">,
                    user, name_of(purpose), BytesView(crypto::sha256(token)), reference, now, now + settings.expired);
    return token;
}

// A token is void once the account has another address than the one it was sent to, or another generation, for example
// after the account was deactivated and reactivated or its second factor was reset. If it is from too far ahead, the
// clock was set back, so the age of the token is unknown.
static constexpr storage::Text spendable_sql =
    "digest = $1 AND purpose = $2 AND expires_at > $3 AND created_at <= $4 AND EXISTS (SELECT 1 "
    "FROM users u WHERE u.id = user_id AND u.email = account_tokens.email AND u.deleted_at IS NULL AND " +
    current_with_sql<"account_tokens", "u"> + ")";

awaitable<std::optional<UserId>> AccountTokens::find(std::string token, TokenPurpose purpose, TimePoint now) {
    const auto rows =
        co_await database_.query(sql<"SELECT user_id FROM account_tokens WHERE ", spendable_sql>,
                                 BytesView(crypto::sha256(token)), name_of(purpose), now, now + clock_ahead_max);
    if (rows.empty()) co_return std::nullopt;
    co_return rows[0].id<UserId>(0);
}

void AccountTokens::add_spend(storage::Transaction& transaction, const std::string& token, TokenPurpose purpose,
                              TimePoint now) {
    transaction.add(Expect::one, sql<"DELETE FROM account_tokens WHERE ", spendable_sql>,
                    BytesView(crypto::sha256(token)), name_of(purpose), now, now + clock_ahead_max);
}

void AccountTokens::add_erase(storage::Transaction& transaction, UserId user) {
    transaction.add(Expect::any, "DELETE FROM account_tokens WHERE user_id = $1", user);
}

awaitable<void> AccountTokens::erase_expired(TimePoint now) {
    return storage::execute_in_portions(
        database_,
        "DELETE FROM account_tokens WHERE digest IN (SELECT digest FROM account_tokens WHERE expires_at <= $1 "
        "ORDER BY expires_at LIMIT $2)",
        now);
}

}  // namespace consentry
