#include "features/login/social_repository.hpp"

#include "features/users/account_tokens.hpp"

namespace consentry {

using storage::Expect;

awaitable<std::optional<UserId>> SocialRepository::find_owner(SocialProvider provider, std::string subject) {
    const auto rows = co_await database_.query("SELECT user_id FROM identities WHERE provider = $1 AND subject = $2",
                                               facts_of(provider).name, subject);
    if (rows.empty()) co_return std::nullopt;
    co_return rows[0].id<UserId>(0);
}

awaitable<std::optional<std::string>> SocialRepository::find_subject(UserId user, SocialProvider provider) {
    const auto rows = co_await database_.query("SELECT subject FROM identities WHERE user_id = $1 AND provider = $2",
                                               user, facts_of(provider).name);
    if (rows.empty()) co_return std::nullopt;
    co_return rows[0].text(0);
}

awaitable<bool> SocialRepository::is_spent(crypto::Sha256 digest) {
    const auto rows =
        co_await database_.query("SELECT expires_at FROM spent_identity_tokens WHERE digest = $1", BytesView(digest));
    co_return !rows.empty();
}

awaitable<void> SocialRepository::erase_spent(TimePoint before) {
    // In portions, so that no other write waits long behind one.
    constexpr std::int64_t portion = 1'000;
    for (;;) {
        const auto rows = co_await database_.execute(
            "DELETE FROM spent_identity_tokens WHERE digest IN (SELECT digest FROM spent_identity_tokens "
            "WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            before, portion);
        if (rows.affected() < portion) co_return;
    }
}

void SocialRepository::add_spending(storage::Transaction& transaction, const Identity& identity) {
    transaction.add(Expect::one,
                    "INSERT INTO spent_identity_tokens (digest, expires_at) VALUES ($1, $2) "
                    "ON CONFLICT (digest) DO NOTHING",
                    BytesView(identity.digest), identity.expires_at);
}

void SocialRepository::add_use(storage::Transaction& transaction, UserId user, SocialProvider provider,
                               const std::string& subject, const std::optional<std::string>& email, TimePoint now) {
    transaction.add(Expect::one,
                    "INSERT INTO identities (provider, subject, user_id, email, created_at, last_used_at) "
                    "VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (provider, subject) DO UPDATE SET email = $4, "
                    "last_used_at = $5 WHERE identities.user_id = $3",
                    facts_of(provider).name, subject, user, email, now);
}

void SocialRepository::add_take_over(storage::Transaction& transaction, UserId user, std::int64_t expected,
                                     TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE users SET password_hash = NULL, password_created_at = NULL, password_expires_at = NULL, "
                    "password_attempt = 0, password_locked_until = NULL, must_change_password = FALSE, "
                    "is_verified = TRUE, verified_at = $3, security_version = security_version + 1, updated_at = $3 "
                    "WHERE id = $1 AND security_version = $2 AND is_verified = FALSE AND deleted_at IS NULL",
                    user, expected, now);
    AccountTokens::add_erase(transaction, user);
}

}  // namespace consentry
