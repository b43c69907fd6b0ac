#include "features/two_factor/repository.hpp"

#include "features/users/generations.hpp"
#include "storage/columns.hpp"
#include "storage/lock_sql.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;
using storage::Text;
using storage::unread;

constexpr auto two_factor_columns = columns<TwoFactorRecord>(
    unread<"t.user_id">, column<"t.enabled", &TwoFactorRecord::enabled>,
    column<"t.required_setup", &TwoFactorRecord::required_setup>, column<"t.iv", &TwoFactorRecord::iv>,
    column<"t.secret", &TwoFactorRecord::secret>,
    column<"CASE WHEN t.last_step < (SELECT e.last_step FROM epochs e) THEN (SELECT e.last_step FROM epochs e) "
           "ELSE t.last_step END",
           &TwoFactorRecord::last_step>,
    column<"t.locked_until", &TwoFactorRecord::locked_until>, column<"t.confirmed_at", &TwoFactorRecord::confirmed_at>,
    column<"t.last_used_at", &TwoFactorRecord::last_used_at>,
    column<"t.set_up_allowed_at", &TwoFactorRecord::set_up_allowed_at>,
    column<"(SELECT count(*) FROM backup_codes b WHERE b.user_id = t.user_id AND " + of_this_epoch_sql<"b"> + ")",
           &TwoFactorRecord::backup_codes>);

// A proof and the row that it is spent on: $1 is the user, $2 now, $3 the iv of the secret that a code belongs to, $4
// the step of a code, $5 whether any step will do, and $6 the time of locks. A backup code carries no step and leaves
// last_step unchanged. It does not depend on the secret either, which a login with a code may seal again meanwhile.
constexpr Text spent_sql =
    "attempt = 0, locked_until = NULL, last_used_at = $2, updated_at = $2, "
    "last_step = CASE WHEN last_step < $4 THEN $4 ELSE last_step END";
constexpr Text may_spend_sql =
    "user_id = $1 AND iv = COALESCE($3, iv) AND (locked_until IS NULL OR locked_until <= $6) "
    "AND ($5 OR (last_step < $4 AND (SELECT e.last_step FROM epochs e) < $4))";

// Whether the period in which failures are counted still lasts: $6 is a day before now, $7 a minute from now. One that
// begins later was written before a clock was put back, and counts as over.
constexpr Text day_lasts_sql = "failures_since > $6 AND failures_since <= $7";

// Spends the proof on a row that is `where`, and sets `more` as well.
template <Text more, Text where>
void add_proof(storage::Transaction& transaction, const RightProof& proof, bool any_step, TwoFactorMoment at) {
    const auto add = [&](auto statement, const auto&... values) {
        transaction.add(Expect::one, statement, proof.user, at.now,
                        proof.backup_digest ? std::nullopt : std::optional(proof.iv), proof.step.value_or(0), any_step,
                        at.lock_time, values...);
    };
    if (proof.sealed_again)
        add(sql<"UPDATE two_factors SET iv = $7, secret = $8, ", more, spent_sql, " WHERE ", where, " AND ",
                may_spend_sql>,
            proof.sealed_again->iv, proof.sealed_again->secret);
    else
        add(sql<"UPDATE two_factors SET ", more, spent_sql, " WHERE ", where, " AND ", may_spend_sql>);
}

}  // namespace

awaitable<std::optional<TwoFactorRecord>> TwoFactorRepository::find(UserId user) {
    const auto rows = co_await database_.look_up(
        sql<"SELECT ", two_factor_columns, " FROM two_factors t WHERE t.user_id = $1">, user);
    co_return two_factor_columns.read_first(rows);
}

awaitable<std::map<UserId, TwoFactorRecord>> TwoFactorRepository::find_between(UserId first, UserId last) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", two_factor_columns, " FROM two_factors t WHERE t.user_id >= $1 AND t.user_id <= $2">, first,
        last);
    std::map<UserId, TwoFactorRecord> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.emplace(rows[i].id<UserId>(0), two_factor_columns.read(rows[i]));
    co_return out;
}

awaitable<std::optional<crypto::Sha256>> TwoFactorRepository::find_backup_code(UserId user,
                                                                               std::vector<crypto::Sha256> digests) {
    std::optional<crypto::Sha256> found;
    // Looks up one digest per accepted key without stopping at a match, so that the time does not reveal which key or
    // whether one matched (CRY-5).
    for (const crypto::Sha256& digest : digests) {
        const auto rows = co_await database_.query(
            sql<"SELECT user_id FROM backup_codes WHERE user_id = $1 AND code_digest = $2 AND ",
                of_this_epoch_sql<"backup_codes">>,
            user, BytesView(digest));
        if (!rows.empty()) found = digest;
    }
    co_return found;
}

void TwoFactorRepository::add_pending(PrivilegedTransaction& transaction, UserId user, const Bytes& iv,
                                      const Bytes& secret, TimePoint now) {
    // attempt, locked_until and last_step are kept: a new set-up clears no failures (TFA-9) and makes no used code
    // valid again (TFA-3).
    transaction.add(Expect::one,
                    "INSERT INTO two_factors (user_id, enabled, required_setup, iv, secret, created_at, updated_at) "
                    "VALUES ($1, FALSE, FALSE, $2, $3, $4, $4) "
                    "ON CONFLICT (user_id) DO UPDATE SET iv = excluded.iv, secret = excluded.secret, updated_at = "
                    "excluded.updated_at "
                    "WHERE two_factors.enabled = FALSE",
                    user, iv, secret, now);
}

void TwoFactorRepository::add_required(storage::Transaction& transaction, UserId user, const Bytes& iv,
                                       const Bytes& secret, milliseconds lifetime, TimePoint now) {
    // happened_within(), as a condition of the statement.
    transaction.add(Expect::one,
                    "UPDATE two_factors SET iv = $2, secret = $3, updated_at = $4 WHERE user_id = $1 "
                    "AND required_setup = TRUE AND (set_up_allowed_at IS NULL "
                    "OR (set_up_allowed_at > $5 AND set_up_allowed_at <= $6))",
                    user, iv, secret, now, now - lifetime, now + clock_ahead_max);
}

void TwoFactorRepository::add_set_up_allowed(storage::Transaction& transaction, UserId user, TimePoint now) {
    transaction.add(Expect::any,
                    "UPDATE two_factors SET set_up_allowed_at = $2, updated_at = $2 WHERE user_id = $1 "
                    "AND required_setup = TRUE",
                    user, now);
}

awaitable<std::optional<CountedFailure>> TwoFactorRepository::count_failure(UserId user, LockLadder ladder,
                                                                            TwoFactorMoment at) {
    const auto rows = co_await database_.execute(
        sql<"UPDATE two_factors SET attempt = attempt + 1, updated_at = $5, locked_until = ",
            storage::lock_end_sql<"attempt", "$3", "$2", "$4">, ", failures = CASE WHEN ", day_lasts_sql,
            " THEN failures + 1 ELSE 1 END, failures_since = CASE WHEN ", day_lasts_sql,
            " THEN failures_since ELSE $2 END WHERE user_id = $1 AND (locked_until IS NULL OR locked_until <= $2) "
            "RETURNING attempt, failures">,
        user, at.lock_time, ladder.attempts_max, static_cast<double>(ladder.base.count()), at.now,
        at.lock_time - std::chrono::days{1}, at.lock_time + std::chrono::minutes{1});
    if (rows.empty()) co_return std::nullopt;
    co_return CountedFailure{.in_a_row = rows[0].integer(0), .in_a_day = rows[0].integer(1)};
}

void TwoFactorRepository::add_spend(storage::Transaction& transaction, const RightProof& proof, bool replay_protection,
                                    TwoFactorMoment at) {
    add_proof<"", "enabled = TRUE AND required_setup = FALSE">(transaction, proof, !proof.step || !replay_protection,
                                                               at);
    if (proof.backup_digest)
        transaction.add(Expect::one,
                        sql<"DELETE FROM backup_codes WHERE user_id = $1 AND code_digest = $2 AND ",
                            of_this_epoch_sql<"backup_codes">>,
                        proof.user, BytesView(*proof.backup_digest));
}

void TwoFactorRepository::add_enable(storage::Transaction& transaction, const RightProof& proof, bool replay_protection,
                                     TwoFactorMoment at) {
    add_proof<
        "enabled = TRUE, required_setup = FALSE, set_up_allowed_at = NULL, "
        "confirmed_at = COALESCE(confirmed_at, $2), ",
        "(enabled = FALSE OR required_setup = TRUE)">(transaction, proof, !replay_protection, at);
}

void TwoFactorRepository::add_disable(PrivilegedTransaction& transaction, UserId user, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE two_factors SET enabled = FALSE, required_setup = FALSE, set_up_allowed_at = NULL, "
                    "iv = NULL, secret = NULL, confirmed_at = NULL, attempt = 0, locked_until = NULL, updated_at = $2 "
                    "WHERE user_id = $1 AND enabled = TRUE",
                    user, now);
    transaction.add(Expect::any, "DELETE FROM backup_codes WHERE user_id = $1", user);
}

void TwoFactorRepository::add_erase(storage::Transaction& transaction, UserId user) {
    transaction.add(Expect::any, "DELETE FROM backup_codes WHERE user_id = $1", user);
    transaction.add(Expect::any, "DELETE FROM two_factors WHERE user_id = $1", user);
}

void TwoFactorRepository::add_reset(PrivilegedTransaction& transaction, UserId user, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE two_factors SET required_setup = TRUE, set_up_allowed_at = $2, iv = NULL, secret = NULL, "
                    "attempt = 0, locked_until = NULL, updated_at = $2 WHERE user_id = $1 AND enabled = TRUE",
                    user, now);
    transaction.add(Expect::any, "DELETE FROM backup_codes WHERE user_id = $1", user);
}

void TwoFactorRepository::add_unlock(PrivilegedTransaction& transaction, UserId user, TimePoint now) {
    transaction.add(Expect::any,
                    "UPDATE two_factors SET attempt = 0, locked_until = NULL, updated_at = $2 WHERE user_id = $1", user,
                    now);
}

void TwoFactorRepository::add_unlock_set_up(PrivilegedTransaction& transaction, UserId user, TimePoint now) {
    transaction.add(Expect::one,
                    "UPDATE two_factors SET attempt = 0, locked_until = NULL, updated_at = $2 WHERE user_id = $1 "
                    "AND enabled = FALSE AND (attempt > 0 OR locked_until IS NOT NULL)",
                    user, now);
}

void TwoFactorRepository::add_still_enabled(PrivilegedTransaction& transaction, UserId user, TimePoint now) {
    transaction.add(
        Expect::one,
        "UPDATE two_factors SET updated_at = $2 WHERE user_id = $1 AND enabled = TRUE AND required_setup = FALSE", user,
        now);
}

void TwoFactorRepository::add_still_off(PrivilegedTransaction& transaction, UserId user) {
    transaction.add(Expect::one,
                    "UPDATE users SET updated_at = updated_at WHERE id = $1 AND NOT EXISTS "
                    "(SELECT 1 FROM two_factors t WHERE t.user_id = $1 AND t.enabled)",
                    user);
}

void TwoFactorRepository::add_nothing_to_prove(storage::Transaction& transaction, UserId user) {
    transaction.add(Expect::one,
                    "UPDATE users SET updated_at = updated_at WHERE id = $1 AND NOT EXISTS "
                    "(SELECT 1 FROM two_factors t WHERE t.user_id = $1 AND t.enabled AND NOT t.required_setup)",
                    user);
}

void TwoFactorRepository::add_backup_codes(storage::Transaction& transaction, UserId user,
                                           const std::vector<crypto::Sha256>& digests) {
    transaction.add(Expect::any, "DELETE FROM backup_codes WHERE user_id = $1", user);
    for (const crypto::Sha256& digest : digests)
        transaction.add(Expect::one,
                        sql<"INSERT INTO backup_codes (user_id, code_digest, epoch) VALUES ($1, $2, ", epoch_sql, ")">,
                        user, BytesView(digest));
}

}  // namespace consentry
