// Sessions: begins them, matches them with every request, refreshes and ends them.
//
// The database is authoritative. The cache holds a copy of each session's jti. With SESSION_CHECK=strict, a copy that
// disagrees is discarded, a missing one is restored, and a cache entry without a database row admits no caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/worker_pool.hpp"
#include "features/activity/audit.hpp"
#include "features/mail/mails.hpp"
#include "features/sessions/copies.hpp"
#include "features/sessions/repository.hpp"
#include "features/sessions/token_memory.hpp"
#include "features/sessions/tokens.hpp"

namespace consentry {

struct SessionSettings {
    SessionCheck check = SessionCheck::strict;
    std::int64_t per_user_max = 0;  // live sessions; beyond it the oldest end
    std::chrono::seconds refresh_grace{};
    std::chrono::seconds admin_idle{};
    std::chrono::seconds cookie_idle{};  // of a cookie's session; the lifetime of a refresh token limits it too
    std::string cache_key_pattern;
    std::vector<std::string> copy_secrets;
};

// What the owner of a new session receives: the tokens, or the value of a cookie.
struct Grant {
    std::optional<TokenPair> tokens;
    std::string cookie;
};

// A session not yet stored. Its rows are added to the transaction of the login that allowed it.
struct PreparedSession {
    NewSession row;
    Grant grant;
    std::uint64_t keys_generation = 0;  // as it was before the tokens were signed
    std::optional<crypto::Sha256> new_device = {};
    std::int64_t devices = 0;  // that the account had before
};

// The next cookie of a session. Valid, instead of the one before, from the commit of the rotation.
struct CookieRenewal {
    std::string cookie;
    Rotation rotation;
};

// The next tokens of a session. Valid, instead of those before, from the commit of the rotation.
struct TokenRenewal {
    TokenPair pair;
    Rotation rotation;
    TokenClaims claims;
    std::uint64_t keys_generation = 0;  // as it was before the tokens were signed
};

struct SessionOwner {
    UserId user;
    Role role = Role::user;
};
struct Refreshed {
    std::optional<SessionOwner> owner;  // set once the token has proven it
    Result<TokenPair> pair;
};

class Sessions {
public:
    // All arguments must outlive this. `signing` runs the signature work.
    Sessions(storage::Database& database, storage::Cache& cache, const Clock& clock, const Tokens& tokens,
             WorkerPool& signing, Mails& mails, Audit audit, SessionSettings settings);
    ~Sessions();
    Sessions(const Sessions&) = delete;
    Sessions& operator=(const Sessions&) = delete;

    // Creates a session and signs its tokens; stores nothing.
    awaitable<PreparedSession> prepare(const User& user, Origin origin, std::optional<crypto::Sha256> challenge_digest);
    // Adds the session's row, ends the former session of its device, enforces `per_user_max`, and adds a notice of a
    // new device. With a challenge, the first statement is an Expect::one that fails if the challenge was already
    // spent. Returns the statements that end other sessions.
    struct Endings {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    Endings add_to(storage::Transaction& transaction, const PreparedSession& session);
    // Returns whether a session was begun with this challenge.
    awaitable<bool> is_spent(crypto::Sha256 challenge_digest);
    awaitable<bool> exists(SessionId session);
    // Call after the commit, with what add_to() returned: reports the sessions that ended for this one, and remembers
    // its tokens, so that the first request need not verify the signature again.
    void note_begun(const PreparedSession& session, const storage::Outcome& outcome, Endings endings,
                    const Cause& cause);

    // Returns the session of an access token after checking signature, claims, session and user. Errors: 401
    // jwtAccessTokenInvalid for any fault of the token or session; 403 if the account may not act. `token` must outlive
    // the call.
    awaitable<Result<LiveSession>> authenticate(std::string_view token, AlongWithSession along);
    // The same for the value of a cookie. Records the use, with one write in a sixteenth of the idle time, or in an
    // hour if that is less, and moves the end of the session on. Neither accepts what the other does.
    awaitable<Result<LiveSession>> authenticate_cookie(std::string cookie, AlongWithSession along);
    // Prepares a new secret for the session of a cookie, for a transaction in which its owner gains rights. Error: 401
    // if the text is no cookie.
    Result<CookieRenewal> prepare_renewal(std::string_view cookie) const;
    // The same for the tokens of a session whose jti is this one. The answer with the new ones may be lost: for
    // `refresh_grace` after the commit, the refresh token from before works, but then the session counts as not
    // confirmed, because a thief may have sent it. Error: 401 if the session is over or has another jti.
    awaitable<Result<TokenRenewal>> prepare_renewal(SessionId session, std::string jti);
    // Call after the commit.
    awaitable<void> note_renewed(const TokenRenewal& renewal);
    // The longest time for which a browser needs to keep a cookie.
    std::chrono::seconds cookie_lifetime() const { return tokens_.settings().refresh_lifetime; }

    // Spends a refresh token for a new pair. A repeat within `refresh_grace` returns the same pair. Any other reuse
    // ends the session.
    awaitable<Refreshed> refresh(std::string token, Cause cause);

    // Ends the caller's own session. Needs no authority beyond having it, so nothing but an outage prevents it.
    awaitable<void> log_out(UserId user, SessionId own, Cause cause);
    // `action` is the entry in the owner's activity log. Errors: sessionNotFound, and what PrivilegedTransaction
    // refuses.
    awaitable<Result<void>> revoke(Actor by, UserId user, SessionId session, AccountAction action, Cause cause);
    // Ends all sessions of the user but this one, logins in progress and mailed links.
    awaitable<Result<void>> revoke_others(Actor by, UserId user, SessionId keep, Cause cause);
    // The same without an exception. Error: userNotFound.
    awaitable<Result<void>> revoke_all(Actor by, UserId user, AccountAction action, Cause cause);
    awaitable<ListSlice<SessionSummary>> list(UserId user, ListQuery query);
    // Deletes the rows of sessions that ended long ago.
    awaitable<void> forget_old();

private:
    struct LookedUp {
        std::optional<LiveSession> session;
        bool from_cache = false;
    };
    awaitable<LookedUp> look_up(const TokenClaims& claims, TimePoint now, AlongWithSession along);
    awaitable<PreparedSession> sign_tokens(PreparedSession session);
    void remember_tokens(const PreparedSession& session);
    TimePoint end_of(const LiveSession& session, TimePoint now) const;
    // A session in use is recorded rarely enough to be cheap: a cookie's gets the time of its last activity and a later
    // end, an admin's the time alone.
    bool is_prolongation_due(const LiveSession& session, TimePoint now) const;
    bool is_touch_due(const LiveSession& session, TimePoint now) const;
    bool is_cookie_touch_due(const LiveSession& session, TimePoint now) const;
    // Does without it if the database takes no writes, because the request may only read. The session then ends no
    // later than it would unused.
    awaitable<void> record_use(const LiveSession& session, awaitable<void> write);
    // The session of a valid refresh token.
    struct Refreshable {
        RefreshState state;
        TokenClaims claims;
        crypto::Sha256 digest;
    };
    awaitable<Result<Refreshable>> open_refresh(const std::string& token, TimePoint now);
    awaitable<Result<TokenPair>> issue_next(Refreshable from, std::string token, Cause cause, TimePoint now);
    // Drops the cached copies of ended sessions, including those that other features or instances ended.
    awaitable<void> forget_copies(storage::Rows ended);
    awaitable<void> remember(const LiveSession& session, TimePoint now);
    awaitable<bool> signature_holds(TokenKind kind, const Tokens::Candidate& candidate);
    awaitable<TokenRenewal> sign_next(const RefreshState& state, std::optional<crypto::Sha256> presented,
                                      TimePoint now);
    // Calls the repository's rotate(). If its answer is lost, reads the outcome from the row.
    awaitable<bool> rotate(const Rotation& rotation, SessionRepository::LockAccount lock);
    // Returns what the refresh with this token was answered, for as long as the cache keeps it.
    awaitable<std::optional<TokenPair>> cached_successor(SessionId session, const std::string& jti,
                                                         const std::string& token);
    awaitable<Result<TokenPair>> refresh_again(const RefreshState& state, const TokenClaims& claims,
                                               const crypto::Sha256& digest, const std::string& token,
                                               const Cause& cause);
    AdminLimits admin_limits(TimePoint now) const;
    Result<void> may_act(const LiveSession& session, const ErrorKind& invalid, TimePoint now) const;

    storage::Database& database_;
    SessionRepository repository_;
    SessionCopies copies_;
    storage::Cache& cache_;
    const Clock& clock_;
    const Tokens& tokens_;
    WorkerPool& signing_;
    Mails& mails_;
    Audit audit_;
    SessionSettings settings_;
    TokenMemory memory_;
    std::atomic<std::int64_t> epoch_ = 0;      // the newest one seen
    std::atomic<TimePoint> recording_from_{};  // of clock_.lock_time(); later than now after a failed write
};

}  // namespace consentry
