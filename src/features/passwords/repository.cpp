#include "features/passwords/repository.hpp"

#include "features/users/account_tokens.hpp"
#include "storage/lock_sql.hpp"

namespace consentry {
namespace {

using storage::Expect;

std::string_view text_of(PasswordType type) {
    switch (type) {
        case PasswordType::sign_up:
            return "signUp";
        case PasswordType::admin:
            return "admin";
        case PasswordType::profile:
            return "profile";
        case PasswordType::forgot:
            return "forgot";
    }
    return {};
}

std::optional<std::int64_t> attempt_of(const storage::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return rows[0].integer(0);
}

std::optional<TimePoint> time_of(const storage::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return rows[0].time_or_null(0);
}

}  // namespace

awaitable<std::optional<std::int64_t>> PasswordRepository::reserve(UserId user, LockLadder ladder, TimePoint now) {
    co_return attempt_of(co_await database_.execute(
        "UPDATE users SET password_attempt = password_attempt + 1, "
        "password_locked_until = " CONSENTRY_LOCK_END_SQL(
            "password_attempt", "$3", "$2", "$4") " WHERE id = $1 AND (password_locked_until IS NULL OR "
                                                  "password_locked_until <= $2) RETURNING password_attempt",
        user, now, ladder.attempts_max, static_cast<double>(ladder.base.count())));
}

awaitable<std::optional<TimePoint>> PasswordRepository::locked_until(UserId user) {
    co_return time_of(co_await database_.query("SELECT password_locked_until FROM users WHERE id = $1", user));
}

awaitable<std::optional<std::int64_t>> PasswordRepository::reserve_unknown(crypto::Sha256 address, LockLadder ladder,
                                                                           TimePoint now) {
    co_return attempt_of(co_await database_.execute(
        "INSERT INTO unknown_logins (address_digest, attempt, locked_until, updated_at) VALUES ($1, 1, NULL, $2) "
        "ON CONFLICT (address_digest) DO UPDATE SET attempt = unknown_logins.attempt + 1, updated_at = $2, "
        "locked_until = " CONSENTRY_LOCK_END_SQL(
            "unknown_logins.attempt", "$3", "$2",
            "$4") " WHERE unknown_logins.locked_until IS NULL OR unknown_logins.locked_until <= $2 RETURNING attempt",
        BytesView(address), now, ladder.attempts_max, static_cast<double>(ladder.base.count())));
}

awaitable<std::optional<TimePoint>> PasswordRepository::unknown_locked_until(crypto::Sha256 address) {
    co_return time_of(co_await database_.query("SELECT locked_until FROM unknown_logins WHERE address_digest = $1",
                                               BytesView(address)));
}

awaitable<void> PasswordRepository::forget_unknown(TimePoint before) {
    co_await database_.execute(
        "DELETE FROM unknown_logins WHERE updated_at < $1 AND (locked_until IS NULL OR locked_until < $1)", before);
}

awaitable<void> PasswordRepository::clear(UserId user) {
    co_await database_.execute(
        "UPDATE users SET password_attempt = 0, password_locked_until = NULL WHERE id = $1 AND password_attempt > 0",
        user);
}

awaitable<void> PasswordRepository::rehash(UserId user, std::string old_hash, std::string new_hash) {
    // In the history as well: an imported hash may hold more than the password's (Firebase's has a secret of its
    // project).
    storage::Transaction transaction;
    transaction.add(Expect::any, "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2", user,
                    old_hash, new_hash);
    transaction.add(Expect::any,
                    "UPDATE password_history SET password_hash = $3 WHERE user_id = $1 AND password_hash = $2", user,
                    old_hash, new_hash);
    co_await database_.commit(std::move(transaction));
}

awaitable<std::vector<std::string>> PasswordRepository::history(UserId user, TimePoint now, std::int64_t limit) {
    const auto rows = co_await database_.query(
        "SELECT password_hash FROM password_history WHERE user_id = $1 AND expires_at > $2 "
        "ORDER BY created_at DESC, id DESC LIMIT $3",
        user, now, limit);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].text(0));
    co_return out;
}

void PasswordRepository::add_change(storage::Transaction& transaction, UserId user, std::int64_t expected,
                                    std::string_view hash, std::optional<TimePoint> expires_at, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE users SET password_hash = $3, password_created_at = $4, password_expires_at = $5, "
                    "password_attempt = 0, password_locked_until = NULL, security_version = security_version + 1, "
                    "updated_at = $4, must_change_password = FALSE "
                    "WHERE id = $1 AND security_version = $2 AND deleted_at IS NULL",
                    user, expected, hash, now, expires_at);
    AccountTokens::add_erase(transaction, user);
}

void PasswordRepository::add_must_change(storage::Transaction& transaction, UserId user) {
    transaction.add(Expect::one, "UPDATE users SET must_change_password = TRUE WHERE id = $1", user);
}

void PasswordRepository::add_history(storage::Transaction& transaction, UserId user, std::string_view hash,
                                     PasswordType type, TimePoint expires_at, TimePoint now) {
    transaction.add(Expect::one,
                    "INSERT INTO password_history (id, user_id, password_hash, type, created_at, expires_at) "
                    "VALUES ($1, $2, $3, $4, $5, $6)",
                    Uuid::v7(now), user, hash, text_of(type), now, expires_at);
}

}  // namespace consentry
