// The SQL of sessions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/sessions/session_summary.hpp"
#include "features/sessions/tokens.hpp"
#include "features/users/actor.hpp"
#include "features/users/consent.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;

struct Device {
    std::string fingerprint;
    std::optional<std::string> name;
    std::optional<std::string> platform;
};

// What a session hands out: a pair of tokens for the API, or a cookie for the pages of this service.
enum class SessionKind { tokens, cookie };

// Where a login came from; stored with its session.
struct Origin {
    SessionKind kind = SessionKind::tokens;  // not stored: the digests of the session tell
    LoginFrom from = LoginFrom::website;
    LoginWith with = LoginWith::credential;
    std::optional<Device> device;
    std::string ip_address;
    std::string user_agent;
};

// A new session to insert.
struct NewSession {
    SessionId id;
    UserId user;
    std::string jti;
    crypto::Sha256 access_digest{};
    crypto::Sha256 refresh_digest{};
    std::optional<crypto::Sha256> challenge_digest;
    Origin origin;
    TimePoint issued_at;
    TimePoint expires_at;
    std::int64_t security_version = 1;
};

// One refresh of a session.
struct Rotation {
    UserId user;
    SessionId session;
    std::string old_jti;
    // Of the refresh token, or cookie, as it was presented; none if no refresh token was: a confirmation presents the
    // access token.
    std::optional<crypto::Sha256> presented_digest;
    std::string new_jti;
    crypto::Sha256 access_digest{};
    crypto::Sha256 refresh_digest{};
    TimePoint at;
};

// What a request needs to know about its session and user, from one read.
struct LiveSession {
    SessionId id;
    UserId user;
    std::int64_t security_version = 0;  // the same for the session and its account
    std::int64_t epoch = 0;
    std::string jti;
    Bytes access_digest;
    TimePoint login_at;
    TimePoint proven_at;  // the login, or the last confirmation since
    TimePoint expires_at;
    TimePoint last_active_at;
    bool revoked = false;
    std::string email;
    RoleId role_id;
    Role role = Role::user;  // the role's type as it is now
    UserStatus status = UserStatus::active;
    bool is_verified = false;
    bool deleted = false;
    std::optional<TimePoint> password_expires_at;
    bool must_change_password = false;
    std::optional<std::string> policy_state = {};  // policy_state_sql; nullopt: not read along
};

// LiveSession plus the fields that a refresh needs.
struct RefreshState {
    LiveSession live;
    std::optional<std::string> previous_jti;
    std::optional<Bytes> previous_refresh_digest;
    Bytes refresh_digest;
    TimePoint issued_at;
    LoginFrom from = LoginFrom::website;
    LoginWith with = LoginWith::credential;
};

// A session that a login ended.
struct ReplacedSession {
    SessionId id;
    std::string reason;  // "device" or "bound"
};

// An administrator's session ends earlier than its row says (SES-7): if it was not used after the first time, or not
// begun after the last. If it was used after the second, the clock was set back since, and it ends as well.
struct AdminLimits {
    TimePoint active_after;
    TimePoint active_until;
    TimePoint begun_after;
};

class SessionRepository {
public:
    explicit SessionRepository(storage::Database& database) : database_(database) {}

    // Finds sessions of the current generation, revoked or not.
    awaitable<std::optional<LiveSession>> find(SessionId id, AlongWithSession along = AlongWithSession::nothing);
    awaitable<std::optional<RefreshState>> find_for_refresh(SessionId id);
    // The sessions that requests may still use.
    awaitable<ListSlice<SessionSummary>> list_live(UserId user, TimePoint now, AdminLimits limits, ListQuery query);

    // Publishes (user_id, id) of every session that ended, changed its generation or was confirmed. Subscribers must
    // drop what they remember of it.
    static constexpr storage::Topic ended{"sessions ended"};

    // A unique violation means that the challenge was already spent.
    static void add_insert(storage::Transaction& transaction, const NewSession& session);
    // Ends the former session of the inserted session's device, if it names one: a device has one login.
    static void add_replacement(storage::Transaction& transaction, const NewSession& inserted);
    // Ends the sessions beyond `per_user_max`, which counts the inserted session but never ends it: first an
    // administrator's that are over the limits, then the oldest.
    static void add_bound(storage::Transaction& transaction, const NewSession& inserted, std::int64_t per_user_max,
                          AdminLimits limits);
    // `rows`: the result of either statement.
    static std::vector<ReplacedSession> read_replaced(const storage::Rows& rows);
    // Add after the statement that raises the account's security version. `except` moves to the new version.
    static void add_revoke_all(storage::Transaction& transaction, UserId user, std::optional<SessionId> except,
                               std::string_view reason, TimePoint now);

    // Returns false if the jti was no longer `old_jti`, or the session is over. Without LockAccount::yes also if a
    // change that raised the account's version and kept the session committed during the statement.
    enum class LockAccount : std::uint8_t { no, yes };
    awaitable<bool> rotate(Rotation rotation, LockAccount lock = LockAccount::no);
    // The same as part of a transaction, which must be about `ended`.
    static void add_rotate(storage::Transaction& transaction, storage::Expect expect, const Rotation& rotation);
    // The session counts as not confirmed since its login, unless its jti was replaced.
    awaitable<void> forget_proof(UserId user, SessionId id, std::string jti);
    // Locks the account first. Expect::one: the session belongs to the user and is live.
    static void add_revoke(storage::Transaction& transaction, SessionId id, UserId user, std::string_view reason,
                           TimePoint now);
    // Records that the owner has just proven their identity. Expect::one, as in add_revoke().
    static void add_confirm(PrivilegedTransaction& transaction, SessionId id, UserId user, TimePoint now);
    // What is known about a device when a user logs in from it.
    struct DeviceMemory {
        bool known = false;        // in the current generation
        std::int64_t devices = 0;  // that the user has signed in from before, including this one
    };
    awaitable<DeviceMemory> find_device(UserId user, crypto::Sha256 device);
    // Beyond a bound, forgets the oldest of the `devices` that the account had before.
    static void add_device(storage::Transaction& transaction, UserId user, const crypto::Sha256& device,
                           std::int64_t devices, TimePoint now);
    awaitable<bool> is_spent(crypto::Sha256 challenge_digest);
    awaitable<void> erase_ended(TimePoint before);
    awaitable<void> touch(SessionId id, TimePoint now);
    // Records activity and moves the end of the session, unless it is over or its jti was replaced.
    awaitable<void> prolong(SessionId id, std::string jti, TimePoint now, TimePoint expires_at);

private:
    storage::Database& database_;
};

}  // namespace consentry
