// Live logins: begun, matched with every request, refreshed, ended.
//
// The database decides. The cache holds a copy of each session's jti; a copy that disagrees is thrown away, one that
// is missing is made again, and an entry in the cache alone lets nobody in (SESSION_CHECK=strict).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
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
    std::int64_t sessions_max = 10;  // live ones per user; the oldest end
    std::chrono::seconds refresh_grace{10};
    std::chrono::seconds admin_idle{3600};
    std::string cache_key_pattern = "User:{userId}:Session:{sessionId}";
    std::vector<std::string> copy_secrets;
};

// A session that is made but not yet written: its rows go into the transaction of what allowed it.
struct PreparedSession {
    NewSession row;
    TokenPair tokens;
    std::uint64_t keys_generation = 0;  // before the tokens were signed
    std::optional<crypto::Sha256> new_device = {};
    bool tell_of_device = false;  // it is not the account's first
};

struct SessionOwner {
    UserId user;
    Role role = Role::user;
};
struct Refreshed {
    std::optional<SessionOwner> owner;  // as soon as the token has proven it
    Result<TokenPair> pair;
};

class Sessions {
public:
    // All outlive this. `signing` is the pool for signatures.
    Sessions(storage::Database& database, storage::Cache& cache, const Clock& clock, const Tokens& tokens,
             WorkerPool& signing, Mails& mails, Audit audit, SessionSettings settings);
    ~Sessions();
    Sessions(const Sessions&) = delete;
    Sessions& operator=(const Sessions&) = delete;

    // Signs the tokens of a new session.
    awaitable<PreparedSession> prepare(const User& user, Origin origin, std::optional<crypto::Sha256> challenge_digest);
    // Adds the row, the end of the device's former session, the bound on live sessions, and a notice of a new device.
    // Its first statement is an Expect::one that fails where the challenge was spent before.
    void add_to(storage::Transaction& transaction, const PreparedSession& session);
    // Whether a session was begun with this challenge.
    awaitable<bool> is_spent(crypto::Sha256 challenge_digest);
    awaitable<bool> exists(SessionId session);
    // After the commit. A cache that is away does not matter.
    awaitable<void> begun(const PreparedSession& session);

    // The session behind an access token: signature, claims, session, user. Errors: 401 jwtAccessTokenInvalid, whatever
    // is wrong with token or session; 403 where the account may not act.
    // `token` outlives the call: it lies in the request.
    awaitable<Result<LiveSession>> authenticate(std::string_view token);

    // A new pair for a refresh token. The same answer again for a repeat within the grace; reuse ends the session.
    awaitable<Refreshed> refresh(std::string token, Cause cause);

    // `action`: what the owner's activity log says of it.
    awaitable<Result<void>> revoke(Actor by, UserId user, SessionId session, ActivityAction action, Cause cause);
    awaitable<ListSlice<SessionSummary>> list(UserId user, ListQuery query);
    // Rows of sessions that ended long ago.
    awaitable<void> forget_old();

private:
    struct LookedUp {
        std::optional<LiveSession> session;
        bool from_cache = false;
    };
    awaitable<LookedUp> look_up(const TokenClaims& claims, TimePoint now);
    // The session of a refresh token that has proven whose it is.
    struct Refreshable {
        RefreshState state;
        TokenClaims claims;
        crypto::Sha256 digest;
    };
    awaitable<Result<Refreshable>> open_refresh(const std::string& token, TimePoint now);
    awaitable<Result<TokenPair>> issue_next(Refreshable from, std::string token, Cause cause, TimePoint now);
    // Of sessions that anybody has ended, here or in another feature.
    awaitable<void> forget_copies(storage::Rows ended);
    awaitable<void> remember(const LiveSession& session, TimePoint now);
    awaitable<bool> signature_holds(TokenKind kind, const Tokens::Candidate& candidate);
    // The repository's rotate(); where its answer is lost, the row tells the outcome.
    awaitable<bool> rotate(const TokenClaims& old, const std::string& new_jti, crypto::Sha256 access_digest,
                           crypto::Sha256 refresh_digest, TimePoint now);
    awaitable<Result<TokenPair>> refresh_again(const RefreshState& state, const TokenClaims& claims,
                                               const crypto::Sha256& digest, const std::string& token,
                                               const Cause& cause);
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
    std::atomic<std::int64_t> epoch_ = 0;  // the newest that was seen
};

}  // namespace consentry
