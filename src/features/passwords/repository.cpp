#include "features/passwords/repository.hpp"

#include "features/users/password_attempts.hpp"
#include "storage/lock_sql.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::Expect;
using storage::sql;
using storage::Text;

// Longer than a check takes. A reservation older than this counts as a failure: its process ended, or the answer to its
// statement was lost.
constexpr std::chrono::seconds reservation_lease{15};

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

std::int64_t attempt_of(const storage::Rows& rows) { return rows.empty() ? 0 : rows[0].integer(0); }

// The failure that `rows` counted, before which the count had set no lock.
PasswordFailure first_failure_of(const storage::Rows& rows, LockLadder ladder) {
    const std::int64_t attempt = attempt_of(rows);
    return {.attempt = attempt, .is_first_lock = attempt >= ladder.attempts_max};
}

std::optional<TimePoint> time_of(const storage::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return rows[0].time_or_null(0);
}

// The columns that count attempts. `row` qualifies columns being read, because an upsert must name its table for them.
struct AccountColumns {
    static constexpr Text row = "";
    static constexpr Text attempt = "password_attempt";
    static constexpr Text locked_until = "password_locked_until";
    static constexpr Text pending = "password_pending";
    static constexpr Text pending_until = "password_pending_until";
};
struct UnknownColumns {
    static constexpr Text row = "unknown_logins.";
    static constexpr Text attempt = "attempt";
    static constexpr Text locked_until = "locked_until";
    static constexpr Text pending = "pending";
    static constexpr Text pending_until = "pending_until";
};

// The same statements for accounts and for addresses without an account. $2 is always now, and $3 the end of a lease
// that begins now. Instances differ slightly in their estimate of the database's time. A reservation whose lease ends
// more than a minute after $3 was written before a clock was put back, and counts as expired.
template <class C>
constexpr Text is_live_sql =
    "(" + C::row + C::pending_until + " > $2 AND " + C::row + C::pending_until + " <= CAST($3 AS BIGINT) + 60000)";
template <class C>
constexpr Text attempts_sql =
    C::row + C::attempt + " + CASE WHEN " + is_live_sql<C> + " THEN 0 ELSE " + C::row + C::pending + " END";
template <class C, Text attempts = attempts_sql<C>>
constexpr Text reserve_sql = C::attempt + " = " + attempts + ", " + C::pending + " = CASE WHEN " + is_live_sql<C> +
                             " THEN " + C::row + C::pending + " ELSE 0 END + 1, " + C::pending_until + " = $3";
// Not locked, and fewer attempts in progress than failures are left. At least one is always allowed.
template <class C>
constexpr Text may_reserve_sql =
    "(" + C::row + C::locked_until + " IS NULL OR " + C::row + C::locked_until + " <= $2) AND (" + C::row + C::pending +
    " = 0 OR NOT " + is_live_sql<C> + " OR " + C::row + C::attempt + " + " + C::row + C::pending + " < $4)";
template <class C>
constexpr Text fail_sql = C::attempt + " = " + C::attempt + " + 1, " + C::locked_until + " = " +
                          storage::lock_end_sql<C::attempt, "$3", "$2", "$4"> + ", " + C::pending + " = CASE WHEN " +
                          C::pending + " > 0 THEN " + C::pending + " - 1 ELSE 0 END";
// From the first lock on, locked_until is set until a success, so only one failure of a run finds it empty and sets it.
// The number of failures does not tell that one: lost reservations may take the count past the first rung.
template <class C>
constexpr Text never_locked_sql = C::locked_until + " IS NULL";
template <class C>
constexpr Text release_sql = C::pending + " = " + C::pending + " - 1";

}  // namespace

awaitable<bool> PasswordRepository::reserve(UserId user, LockLadder ladder, TimePoint now) {
    const auto rows = co_await database_.execute(
        sql<"UPDATE users SET ", reserve_sql<AccountColumns>, " WHERE id = $1 AND ", may_reserve_sql<AccountColumns>>,
        user, now, now + reservation_lease, ladder.attempts_max);
    co_return rows.affected() == 1;
}

awaitable<bool> PasswordRepository::reserve_unknown(crypto::Sha256 address, LockLadder ladder, TimePoint now,
                                                    TimePoint cleared) {
    constexpr Text is_cleared =
        "(unknown_logins.updated_at < $5 AND "
        "(unknown_logins.locked_until IS NULL OR unknown_logins.locked_until <= $5))";
    constexpr Text attempts = "CASE WHEN " + is_cleared + " THEN 0 ELSE " + attempts_sql<UnknownColumns> + " END";
    const auto rows = co_await database_.execute(
        sql<"INSERT INTO unknown_logins (address_digest, attempt, locked_until, updated_at, pending, pending_until) "
            "VALUES ($1, 0, NULL, $2, 1, $3) ON CONFLICT (address_digest) DO UPDATE SET updated_at = $2, ",
            reserve_sql<UnknownColumns, attempts>, ", locked_until = CASE WHEN ", is_cleared,
            " THEN NULL ELSE unknown_logins.locked_until END WHERE ", is_cleared, " OR (",
            may_reserve_sql<UnknownColumns>, ")">,
        BytesView(address), now, now + reservation_lease, ladder.attempts_max, cleared);
    co_return rows.affected() == 1;
}

awaitable<PasswordFailure> PasswordRepository::fail(UserId user, LockLadder ladder, TimePoint now) {
    constexpr auto count =
        sql<"UPDATE users SET ", fail_sql<AccountColumns>, " WHERE id = $1 RETURNING password_attempt">;
    constexpr auto count_first = sql<"UPDATE users SET ", fail_sql<AccountColumns>, " WHERE id = $1 AND ",
                                     never_locked_sql<AccountColumns>, " RETURNING password_attempt">;
    const auto base = static_cast<double>(ladder.base.count());
    const auto rows = co_await database_.execute(count_first, user, now, ladder.attempts_max, base);
    if (!rows.empty()) co_return first_failure_of(rows, ladder);
    co_return PasswordFailure{.attempt =
                                  attempt_of(co_await database_.execute(count, user, now, ladder.attempts_max, base))};
}

awaitable<PasswordFailure> PasswordRepository::fail_unknown(crypto::Sha256 address, LockLadder ladder, TimePoint now) {
    constexpr auto count = sql<"UPDATE unknown_logins SET updated_at = $2, ", fail_sql<UnknownColumns>,
                               " WHERE address_digest = $1 RETURNING attempt">;
    constexpr auto count_first =
        sql<"UPDATE unknown_logins SET updated_at = $2, ", fail_sql<UnknownColumns>, " WHERE address_digest = $1 AND ",
            never_locked_sql<UnknownColumns>, " RETURNING attempt">;
    const auto base = static_cast<double>(ladder.base.count());
    const BytesView key(address);
    const auto rows = co_await database_.execute(count_first, key, now, ladder.attempts_max, base);
    if (!rows.empty()) co_return first_failure_of(rows, ladder);
    co_return PasswordFailure{.attempt =
                                  attempt_of(co_await database_.execute(count, key, now, ladder.attempts_max, base))};
}

awaitable<void> PasswordRepository::release(UserId user) {
    co_await database_.execute(
        sql<"UPDATE users SET ", release_sql<AccountColumns>, " WHERE id = $1 AND password_pending > 0">, user);
}

awaitable<void> PasswordRepository::release_unknown(crypto::Sha256 address) {
    co_await database_.execute(
        sql<"UPDATE unknown_logins SET ", release_sql<UnknownColumns>, " WHERE address_digest = $1 AND pending > 0">,
        BytesView(address));
}

awaitable<std::optional<TimePoint>> PasswordRepository::locked_until(UserId user) {
    co_return time_of(co_await database_.query("SELECT password_locked_until FROM users WHERE id = $1", user));
}

awaitable<std::optional<TimePoint>> PasswordRepository::unknown_locked_until(crypto::Sha256 address) {
    co_return time_of(co_await database_.query("SELECT locked_until FROM unknown_logins WHERE address_digest = $1",
                                               BytesView(address)));
}

awaitable<void> PasswordRepository::forget_unknown(TimePoint before) {
    return storage::execute_in_portions(
        database_,
        "DELETE FROM unknown_logins WHERE updated_at < $1 AND (locked_until IS NULL OR locked_until < $1) "
        "AND address_digest IN (SELECT address_digest FROM unknown_logins "
        "WHERE updated_at < $1 AND (locked_until IS NULL OR locked_until < $1) ORDER BY updated_at LIMIT $2)",
        before);
}

awaitable<void> PasswordRepository::clear(UserId user) {
    co_await database_.execute(sql<"UPDATE users SET ", clear_attempts_sql,
                                   " WHERE id = $1 AND (password_attempt > 0 OR password_pending > 0)">,
                               user);
}

void PasswordRepository::add_unlock(PrivilegedTransaction& transaction, UserId user, TimePoint now) {
    transaction.add(
        Expect::one,
        sql<"UPDATE users SET updated_at = $2, ", clear_attempts_sql, " WHERE id = $1 AND deleted_at IS NULL">, user,
        now);
}

awaitable<void> PasswordRepository::rehash(UserId user, std::string old_hash, std::string new_hash) {
    // Replace the hash in the history too: an imported hash may contain more than the password, as Firebase's contains
    // a secret of its project.
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

awaitable<void> PasswordRepository::erase_history(TimePoint before) {
    return storage::execute_in_portions(database_,
                                        "DELETE FROM password_history WHERE id IN (SELECT id FROM password_history "
                                        "WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
                                        before);
}

void PasswordRepository::add_change(storage::Transaction& transaction, const Change& change, const Kept& kept,
                                    TimePoint now) {
    transaction.add(Expect::one,
                    sql<"UPDATE users SET password_hash = $3, password_created_at = $4, password_expires_at = $5, "
                        "security_version = security_version + 1, updated_at = $4, must_change_password = FALSE, ",
                        clear_attempts_sql, " WHERE id = $1 AND security_version = $2 AND deleted_at IS NULL">,
                    change.user, change.expected, change.hash, now, change.expires_at);
    Grants::add_end(transaction, change.user, kept, change.reason, now);
}

void PasswordRepository::add_must_change(PrivilegedTransaction& transaction, UserId user) {
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
