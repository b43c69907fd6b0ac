#include "features/sessions/repository.hpp"

#include "features/users/generations.hpp"
#include "features/users/stored.hpp"
#include "storage/portions.hpp"

namespace consentry {
namespace {

using storage::Expect;

constexpr std::int64_t known_devices_max = 50;  // of an account; the newest

#define CONSENTRY_LIVE_COLUMNS                                                                            \
    "s.id, s.user_id, s.jti, s.access_digest, s.login_at, s.expires_at, s.last_active_at, s.revoked_at, " \
    "u.email, u.role_id, r.type, u.status, u.is_verified, u.deleted_at, u.password_expires_at, "          \
    "u.must_change_password, s.security_version, s.epoch, COALESCE(s.proven_at, s.login_at)"
#define CONSENTRY_LIVE_TABLES                                                                             \
    " FROM sessions s JOIN users u ON u.id = s.user_id JOIN roles r ON r.id = u.role_id WHERE s.id = $1 " \
    "AND " CONSENTRY_CURRENT_WITH_SQL("s", "u")
constexpr std::size_t live_columns = 19;

LiveSession to_live(const storage::Row& row) {
    LiveSession out;
    out.id = row.id<SessionId>(0);
    out.user = row.id<UserId>(1);
    out.jti = row.text(2);
    out.access_digest = row.bytes(3);
    out.login_at = row.time(4);
    out.expires_at = row.time(5);
    out.last_active_at = row.time(6);
    out.revoked = !row.is_null(7);
    out.email = row.text(8);
    out.role_id = row.id<RoleId>(9);
    out.role = stored_enum<Role>(row.text(10));
    out.status = stored_enum<UserStatus>(row.text(11));
    out.is_verified = row.boolean(12);
    out.deleted = !row.is_null(13);
    out.password_expires_at = row.time_or_null(14);
    out.must_change_password = row.boolean(15);
    out.security_version = row.integer(16);
    out.epoch = row.integer(17);
    out.proven_at = row.time(18);
    return out;
}

SessionSummary to_summary(const storage::Row& row) {
    SessionSummary out;
    out.id = row.id<SessionId>(0);
    out.from = stored_enum<LoginFrom>(row.text(1));
    out.with = stored_enum<LoginWith>(row.text(2));
    out.ip_address = row.text(3);
    out.user_agent = row.text(4);
    out.device_name = row.text_or_null(5);
    out.device_platform = row.text_or_null(6);
    out.created_at = row.time(7);
    out.updated_at = row.time(8);
    out.last_active_at = row.time(9);
    out.expires_at = row.time(10);
    return out;
}

}  // namespace

awaitable<std::optional<LiveSession>> SessionRepository::find(SessionId id) {
    const auto rows = co_await database_.look_up("SELECT " CONSENTRY_LIVE_COLUMNS CONSENTRY_LIVE_TABLES, id);
    if (rows.empty()) co_return std::nullopt;
    co_return to_live(rows[0]);
}

awaitable<std::optional<RefreshState>> SessionRepository::find_for_refresh(SessionId id) {
    const auto rows = co_await database_.query("SELECT " CONSENTRY_LIVE_COLUMNS
                                               ", s.previous_jti, s.previous_refresh_digest, s.refresh_digest, "
                                               "s.issued_at, s.login_from, s.login_with" CONSENTRY_LIVE_TABLES,
                                               id);
    if (rows.empty()) co_return std::nullopt;
    const auto row = rows[0];
    RefreshState out;
    out.live = to_live(row);
    out.previous_jti = row.text_or_null(live_columns);
    out.previous_refresh_digest = row.bytes_or_null(live_columns + 1);
    out.refresh_digest = row.bytes(live_columns + 2);
    out.issued_at = row.time(live_columns + 3);
    out.from = stored_enum<LoginFrom>(row.text(live_columns + 4));
    out.with = stored_enum<LoginWith>(row.text(live_columns + 5));
    co_return out;
}

awaitable<ListSlice<SessionSummary>> SessionRepository::list_live(UserId user, TimePoint now, ListQuery query) {
    return storage::select_list(
        database_,
        {.columns = "id, login_from, login_with, ip_address, user_agent, device_name, device_platform, created_at, "
                    "updated_at, last_active_at, expires_at",
         .from = "sessions WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2 AND " CONSENTRY_CURRENT_SQL(
             "sessions")},
        std::move(query), to_summary, user, now);
}

void SessionRepository::add_insert(storage::Transaction& transaction, const NewSession& session) {
    const auto& device = session.origin.device;
    std::optional<Bytes> challenge;
    if (session.challenge_digest) challenge.emplace(session.challenge_digest->begin(), session.challenge_digest->end());
    transaction.add(
        Expect::one,
        "INSERT INTO sessions (id, user_id, jti, access_digest, refresh_digest, challenge_digest, login_from, "
        "login_with, login_at, device_fingerprint, device_name, device_platform, ip_address, user_agent, "
        "created_at, updated_at, issued_at, last_active_at, expires_at, security_version, epoch) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $9, $9, $9, $9, $15, "
        "$16, " CONSENTRY_EPOCH_SQL
        ") "
        "ON CONFLICT (challenge_digest) DO NOTHING",
        session.id, session.user, session.jti, BytesView(session.access_digest), BytesView(session.refresh_digest),
        challenge, name_of(session.origin.from), name_of(session.origin.with), session.issued_at,
        device ? std::optional(device->fingerprint) : std::nullopt, device ? device->name : std::nullopt,
        device ? device->platform : std::nullopt, session.origin.ip_address, session.origin.user_agent,
        session.expires_at, session.security_version);
}

void SessionRepository::add_replacement(storage::Transaction& transaction, const NewSession& inserted) {
    if (!inserted.origin.device) return;
    transaction.add_about(ended, Expect::any,
                          "UPDATE sessions SET revoked_at = $4, revoked_reason = 'device', updated_at = $4 "
                          "WHERE user_id = $1 AND id <> $2 AND device_fingerprint = $3 AND revoked_at IS NULL "
                          "AND expires_at > $4 AND " CONSENTRY_CURRENT_SQL("sessions") " RETURNING user_id, id",
                          inserted.user, inserted.id, inserted.origin.device->fingerprint, inserted.issued_at);
}

void SessionRepository::add_bound(storage::Transaction& transaction, const NewSession& inserted,
                                  std::int64_t sessions_max) {
    // The new one is set apart: within a millisecond the order of ids is chance.
    transaction.add_about(
        ended, Expect::any,
        "UPDATE sessions SET revoked_at = $3, revoked_reason = 'bound', updated_at = $3 WHERE id IN ("
        "SELECT id FROM sessions WHERE user_id = $1 AND id <> $4 AND revoked_at IS NULL AND expires_at > $3 "
        "AND " CONSENTRY_CURRENT_SQL(
            "sessions") " ORDER BY created_at DESC, id DESC LIMIT 1000 OFFSET $2) RETURNING user_id, id",
        inserted.user, sessions_max - 1, inserted.issued_at, inserted.id);
}

void SessionRepository::add_revoke_all(storage::Transaction& transaction, UserId user, std::optional<SessionId> except,
                                       std::string_view reason, TimePoint now) {
    // The all-zero id is nobody's.
    transaction.add_about(ended, Expect::any,
                          "UPDATE sessions SET revoked_at = $3, revoked_reason = $4, updated_at = $3 "
                          "WHERE user_id = $1 AND id <> $2 AND revoked_at IS NULL RETURNING user_id, id",
                          user, except.value_or(SessionId{}), now, reason);
    if (!except) return;
    // From the generation before alone: what was over already stays over.
    transaction.add_about(ended, Expect::any,
                          "UPDATE sessions SET security_version = " CONSENTRY_VERSION_SQL("$2")
                          " WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND security_version + 1 = "
                          CONSENTRY_VERSION_SQL("$2") " RETURNING user_id, id",
                          *except, user);
}

awaitable<bool> SessionRepository::rotate(SessionId id, std::string old_jti, std::string new_jti,
                                          crypto::Sha256 access_digest, crypto::Sha256 refresh_digest, TimePoint now) {
    const auto rows = co_await database_.execute(
        "UPDATE sessions SET previous_jti = jti, previous_refresh_digest = refresh_digest, jti = $3, access_digest = "
        "$4, "
        "refresh_digest = $5, issued_at = $6, last_active_at = $6, updated_at = $6 "
        "WHERE id = $1 AND jti = $2 AND revoked_at IS NULL AND expires_at > $6 AND " CONSENTRY_CURRENT_SQL("sessions"),
        id, old_jti, new_jti, BytesView(access_digest), BytesView(refresh_digest), now);
    co_return rows.affected() == 1;
}

void SessionRepository::add_revoke(storage::Transaction& transaction, SessionId id, UserId user,
                                   std::string_view reason, TimePoint now) {
    transaction.add_about(
        ended, Expect::one,
        "UPDATE sessions SET revoked_at = $3, revoked_reason = $4, updated_at = $3 "
        "WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > $3 AND " CONSENTRY_CURRENT_SQL(
            "sessions") " RETURNING user_id, id",
        id, user, now, reason);
}

void SessionRepository::add_confirm(PrivilegedTransaction& transaction, SessionId id, UserId user, TimePoint now) {
    // Copies tell when its owner proved who they are.
    transaction.add_about(ended, Expect::one,
                          "UPDATE sessions SET proven_at = $3, updated_at = $3 "
                          "WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > $3 "
                          "AND " CONSENTRY_CURRENT_SQL("sessions") " RETURNING user_id, id",
                          id, user, now);
}

awaitable<SessionRepository::DeviceMemory> SessionRepository::find_device(UserId user, crypto::Sha256 device) {
    const auto rows = co_await database_.query(
        "SELECT EXISTS (SELECT 1 FROM known_devices WHERE user_id = $1 AND digest = $2 "
        "AND " CONSENTRY_CURRENT_SQL("known_devices") "), "
        "EXISTS (SELECT 1 FROM known_devices WHERE user_id = $1)",
        user, BytesView(device));
    co_return DeviceMemory{.known = rows[0].boolean(0), .others = rows[0].boolean(1)};
}

void SessionRepository::add_device(storage::Transaction& transaction, UserId user, const crypto::Sha256& device,
                                   TimePoint now) {
    transaction.add(Expect::any,
                    "INSERT INTO known_devices (user_id, digest, first_seen_at, security_version, epoch) "
                    "VALUES ($1, $2, $3, " CONSENTRY_VERSION_SQL(
                        "$1") ", " CONSENTRY_EPOCH_SQL
                              ") ON CONFLICT (user_id, digest) DO UPDATE SET first_seen_at = excluded.first_seen_at, "
                              "security_version = excluded.security_version, epoch = excluded.epoch",
                    user, BytesView(device), now);
    // What a client calls its device is the client's to make up.
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
    return storage::execute_in_portions(
        database_,
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT "
        "$2)",
        before);
}

awaitable<void> SessionRepository::touch(SessionId id, TimePoint now) {
    co_await database_.execute("UPDATE sessions SET last_active_at = $2 WHERE id = $1 AND last_active_at < $2", id,
                               now);
}

}  // namespace consentry
