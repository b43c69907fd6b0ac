#include "features/sessions/repository.hpp"

#include "features/users/columns.hpp"
#include "features/users/generations.hpp"
#include "features/users/policy_state.hpp"
#include "features/users/repository.hpp"
#include "features/users/stored.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::is_set;
using storage::part;
using storage::sql;
using storage::Text;
using storage::unread;

constexpr std::int64_t known_devices_max = 50;  // per account; the newest are kept
constexpr std::chrono::minutes told_again{5};   // longer than a copy is trusted

BytesView view(const crypto::Sha256& digest) { return digest; }

constexpr auto live_columns = columns<LiveSession>(
    column<"s.id", &LiveSession::id>, column<"s.user_id", &LiveSession::user>, column<"s.jti", &LiveSession::jti>,
    column<"s.access_digest", &LiveSession::access_digest>, column<"s.login_at", &LiveSession::login_at>,
    column<"s.expires_at", &LiveSession::expires_at>, column<"s.last_active_at", &LiveSession::last_active_at>,
    column<"s.revoked_at", &LiveSession::revoked, is_set>, column<"u.email", &LiveSession::email>,
    column<"u.role_id", &LiveSession::role_id>, column<"r.type", &LiveSession::role>,
    column<"u.status", &LiveSession::status>, column<"u.is_verified", &LiveSession::is_verified>,
    column<"u.deleted_at", &LiveSession::deleted, is_set>,
    column<password_expiry_sql, &LiveSession::password_expires_at>,
    column<"u.must_change_password", &LiveSession::must_change_password>,
    column<"s.security_version", &LiveSession::security_version>, column<"s.epoch", &LiveSession::epoch>,
    column<"COALESCE(s.proven_at, s.login_at)", &LiveSession::proven_at>);
constexpr auto refresh_columns = columns<RefreshState>(
    part<&RefreshState::live, live_columns>, column<"s.previous_jti", &RefreshState::previous_jti>,
    column<"s.previous_refresh_digest", &RefreshState::previous_refresh_digest>,
    column<"s.refresh_digest", &RefreshState::refresh_digest>, column<"s.issued_at", &RefreshState::issued_at>,
    column<"s.login_from", &RefreshState::from>, column<"s.login_with", &RefreshState::with>);
constexpr Text live_tables =
    " FROM sessions s JOIN users u ON u.id = s.user_id JOIN roles r ON r.id = u.role_id WHERE s.id = $1 AND " +
    current_with_sql<"s", "u">;

// Whether the session may still be used, by the limits for administrators. `user` and the limits are parameters.
template <Text user, Text active_after, Text active_until, Text begun_after>
constexpr Text within_limits_sql =
    "((last_active_at > " + active_after + " AND last_active_at <= " + active_until + " AND login_at > " + begun_after +
    ") OR EXISTS (SELECT 1 FROM users u JOIN roles r ON r.id = u.role_id WHERE u.id = " + user +
    " AND r.type = 'user'))";

constexpr Text insert_session =
    "INSERT INTO sessions (id, user_id, jti, access_digest, refresh_digest, challenge_digest, login_from, login_with, "
    "login_at, device_fingerprint, device_name, device_platform, ip_address, user_agent, created_at, updated_at, "
    "issued_at, last_active_at, expires_at, security_version, epoch) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
    "$11, $12, $13, $14, $9, $9, $9, $9, $15, $16, " +
    epoch_sql + ")";

// Begins as `ended` publishes it.
constexpr auto replaced_columns = columns<ReplacedSession>(unread<"user_id">, column<"id", &ReplacedSession::id>,
                                                           column<"revoked_reason", &ReplacedSession::reason>);
static_assert(replaced_columns.list().starts_with("user_id, id,"));

}  // namespace

awaitable<std::optional<LiveSession>> SessionRepository::find(SessionId id, AlongWithSession along) {
    if (along == AlongWithSession::nothing) {
        const auto rows = co_await database_.look_up(sql<"SELECT ", live_columns, live_tables>, id);
        co_return live_columns.read_first(rows);
    }
    const auto rows = co_await database_.look_up(sql<"SELECT ", live_columns, ", ", policy_state_sql, live_tables>, id);
    auto session = live_columns.read_first(rows);
    if (session) session->policy_state = rows[0].text(live_columns.width);
    co_return session;
}

awaitable<std::optional<RefreshState>> SessionRepository::find_for_refresh(SessionId id) {
    const auto rows = co_await database_.query(sql<"SELECT ", refresh_columns, live_tables>, id);
    co_return refresh_columns.read_first(rows);
}

awaitable<ListSlice<SessionSummary>> SessionRepository::list_live(UserId user, TimePoint now, AdminLimits limits,
                                                                  ListQuery query) {
    return storage::select_list(
        database_,
        {.columns = session_columns.list(),
         .from = sql<"sessions WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2 AND ",
                     current_sql<"sessions", "$1">, " AND ", within_limits_sql<"$1", "$3", "$4", "$5">>},
        std::move(query), session_columns.read, user, now, limits.active_after, limits.active_until,
        limits.begun_after);
}

void SessionRepository::add_insert(storage::Transaction& transaction, const NewSession& session) {
    const auto& device = session.origin.device;
    std::optional<Bytes> challenge;
    if (session.challenge_digest) challenge.emplace(session.challenge_digest->begin(), session.challenge_digest->end());
    // A challenge is spent by naming the unique key: PostgreSQL refuses the statement if the table has lost it, as one
    // that was partitioned. Other logins do without an expectation, which costs PostgreSQL a tenth of the statement.
    transaction.add(challenge ? Expect::one : Expect::any,
                    challenge ? std::string_view(sql<insert_session, " ON CONFLICT (challenge_digest) DO NOTHING">)
                              : std::string_view(sql<insert_session>),
                    session.id, session.user, session.jti, BytesView(session.access_digest),
                    BytesView(session.refresh_digest), challenge, name_of(session.origin.from),
                    name_of(session.origin.with), session.issued_at,
                    device ? std::optional(device->fingerprint) : std::nullopt, device ? device->name : std::nullopt,
                    device ? device->platform : std::nullopt, session.origin.ip_address, session.origin.user_agent,
                    session.expires_at, session.security_version);
}

void SessionRepository::add_replacement(storage::Transaction& transaction, const NewSession& inserted) {
    if (!inserted.origin.device) return;
    transaction.add_about(ended, Expect::any,
                          sql<"UPDATE sessions SET revoked_at = $4, revoked_reason = 'device', updated_at = $4 "
                              "WHERE user_id = $1 AND id <> $2 AND device_fingerprint = $3 AND revoked_at IS NULL "
                              "AND expires_at > $4 AND ",
                              current_sql<"sessions", "$1">, " RETURNING ", replaced_columns>,
                          inserted.user, inserted.id, inserted.origin.device->fingerprint, inserted.issued_at);
}

void SessionRepository::add_bound(storage::Transaction& transaction, const NewSession& inserted,
                                  std::int64_t per_user_max, AdminLimits limits) {
    // The new session is excluded by id, because ids made within one millisecond are in random order.
    transaction.add_about(
        ended, Expect::any,
        sql<"UPDATE sessions SET revoked_at = $3, revoked_reason = 'bound', updated_at = $3 WHERE id IN ("
            "SELECT id FROM sessions WHERE user_id = $1 AND id <> $4 AND revoked_at IS NULL AND expires_at > $3 AND ",
            current_sql<"sessions", "$1">, " ORDER BY ", within_limits_sql<"$1", "$5", "$6", "$7">,
            " DESC, created_at DESC, id DESC LIMIT 1000 OFFSET $2) RETURNING ", replaced_columns>,
        inserted.user, per_user_max - 1, inserted.issued_at, inserted.id, limits.active_after, limits.active_until,
        limits.begun_after);
}

std::vector<ReplacedSession> SessionRepository::read_replaced(const storage::Rows& rows) {
    return replaced_columns.read_all(rows);
}

void SessionRepository::add_revoke_all(storage::Transaction& transaction, UserId user, std::optional<SessionId> except,
                                       std::string_view reason, TimePoint now) {
    // No session has the all-zero id. Sessions that are over keep the time at which they ended. Those that ended a
    // moment ago are told of again: if the answer to that commit was lost, nothing has erased their copies.
    transaction.add_about(ended, Expect::any,
                          sql<"UPDATE sessions SET revoked_at = COALESCE(revoked_at, $3), "
                              "revoked_reason = COALESCE(revoked_reason, $4), "
                              "updated_at = CASE WHEN revoked_at IS NULL THEN $3 ELSE updated_at END "
                              "WHERE user_id = $1 AND id <> $2 AND (revoked_at IS NULL OR revoked_at > $5) "
                              "AND expires_at > $3 AND ",
                              of_this_epoch_sql<"sessions">, " RETURNING user_id, id">,
                          user, except.value_or(SessionId{}), now, reason, now - told_again);
    if (!except) return;
    // Only from the previous generation: a session that had already ended must stay ended.
    transaction.add_about(ended, Expect::any,
                          sql<"UPDATE sessions SET security_version = ", version_sql<"$2">,
                              " WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND security_version + 1 = ",
                              version_sql<"$2">, " RETURNING user_id, id">,
                          *except, user);
}

awaitable<bool> SessionRepository::rotate(Rotation rotation, LockAccount lock) {
    storage::Transaction transaction;
    if (lock == LockAccount::yes) UserRepository::add_lock(transaction, rotation.user);
    add_rotate(transaction, Expect::any, rotation);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) co_return false;
    co_return outcome.results.back().affected() == 1;
}

void SessionRepository::add_rotate(storage::Transaction& transaction, Expect expect, const Rotation& rotation) {
    transaction.add(
        expect,
        sql<"UPDATE sessions SET previous_jti = jti, previous_refresh_digest = $3, jti = $4, access_digest = $5, "
            "refresh_digest = $6, issued_at = $7, last_active_at = $7, updated_at = $7 "
            "WHERE id = $1 AND jti = $2 AND revoked_at IS NULL AND expires_at > $7 AND ",
            current_sql<"sessions", "sessions.user_id">>,
        rotation.session, rotation.old_jti, rotation.presented_digest.transform(view), rotation.new_jti,
        BytesView(rotation.access_digest), BytesView(rotation.refresh_digest), rotation.at);
}

awaitable<void> SessionRepository::forget_proof(UserId user, SessionId id, std::string jti) {
    storage::Transaction transaction;
    UserRepository::add_lock(transaction, user);
    // Cached copies contain the time of the last confirmation.
    transaction.add_about(ended, Expect::any,
                          sql<"UPDATE sessions SET proven_at = NULL WHERE id = $1 AND jti = $2 AND user_id = $3 AND ",
                              current_sql<"sessions", "$3">, " RETURNING user_id, id">,
                          id, jti, user);
    co_await database_.commit(std::move(transaction));
}

void SessionRepository::add_revoke(storage::Transaction& transaction, SessionId id, UserId user,
                                   std::string_view reason, TimePoint now) {
    UserRepository::add_lock(transaction, user);
    transaction.add_about(ended, Expect::one,
                          sql<"UPDATE sessions SET revoked_at = $3, revoked_reason = $4, updated_at = $3 "
                              "WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > $3 AND ",
                              current_sql<"sessions", "$2">, " RETURNING user_id, id">,
                          id, user, now, reason);
}

void SessionRepository::add_confirm(PrivilegedTransaction& transaction, SessionId id, UserId user, TimePoint now) {
    // Cached copies contain the time of the last confirmation.
    transaction.add_about(ended, Expect::one,
                          sql<"UPDATE sessions SET proven_at = $3, updated_at = $3 "
                              "WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > $3 AND ",
                              current_sql<"sessions", "$2">, " RETURNING user_id, id">,
                          id, user, now);
}

awaitable<SessionRepository::DeviceMemory> SessionRepository::find_device(UserId user, crypto::Sha256 device) {
    // All of the account's, because they are few. For an EXISTS, PostgreSQL scans the whole table while it has no
    // statistics about it: it expects a match early.
    const auto rows = co_await database_.query(
        sql<"SELECT COALESCE(MAX(CASE WHEN digest = $2 AND ", current_sql<"known_devices", "$1">,
            " THEN 1 ELSE 0 END), 0) > 0, COUNT(*) FROM known_devices WHERE user_id = $1">,
        user, BytesView(device));
    co_return DeviceMemory{.known = rows[0].boolean(0), .devices = rows[0].integer(1)};
}

void SessionRepository::add_device(storage::Transaction& transaction, UserId user, const crypto::Sha256& device,
                                   std::int64_t devices, TimePoint now) {
    transaction.add(Expect::any,
                    sql<"INSERT INTO known_devices (user_id, digest, first_seen_at, security_version, epoch) "
                        "VALUES ($1, $2, $3, ",
                        version_sql<"$1">, ", ", epoch_sql,
                        ") ON CONFLICT (user_id, digest) DO UPDATE SET first_seen_at = excluded.first_seen_at, "
                        "security_version = excluded.security_version, epoch = excluded.epoch">,
                    user, BytesView(device), now);
    // Clients choose their device names freely, so the number of rows must be bounded. Logins at the same moment may
    // exceed the bound, until the next one.
    if (devices < known_devices_max) return;
    transaction.add(Expect::any,
                    "DELETE FROM known_devices WHERE user_id = $1 AND digest IN (SELECT digest FROM known_devices "
                    "WHERE user_id = $1 ORDER BY first_seen_at DESC, digest LIMIT 1000 OFFSET $2)",
                    user, known_devices_max);
}

awaitable<bool> SessionRepository::is_spent(crypto::Sha256 challenge_digest) {
    const auto rows =
        co_await database_.query("SELECT id FROM sessions WHERE challenge_digest = $1", BytesView(challenge_digest));
    co_return !rows.empty();
}

awaitable<void> SessionRepository::erase_ended(TimePoint before) {
    return storage::execute_in_portions(database_,
                                        "DELETE FROM sessions WHERE id IN ("
                                        "SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
                                        before);
}

awaitable<void> SessionRepository::touch(SessionId id, TimePoint now) {
    co_await database_.execute("UPDATE sessions SET last_active_at = $2 WHERE id = $1 AND last_active_at < $2", id,
                               now);
}

awaitable<void> SessionRepository::prolong(SessionId id, std::string jti, TimePoint now, TimePoint expires_at) {
    co_await database_.execute(sql<"UPDATE sessions SET last_active_at = $3, expires_at = $4 WHERE id = $1 AND "
                                   "jti = $2 AND revoked_at IS NULL AND expires_at > $3 AND expires_at < $4 AND ",
                                   current_sql<"sessions", "sessions.user_id">>,
                               id, jti, now, expires_at);
}

}  // namespace consentry
