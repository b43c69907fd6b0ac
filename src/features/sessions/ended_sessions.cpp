// The part of Sessions that lists them and ends them on request.
#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "features/sessions/grants.hpp"
#include "features/sessions/sessions.hpp"

namespace consentry {
namespace {

// How long a session's row is kept after its end: for later inquiries, and so that a spent challenge's digest outlives
// the challenge by far.
constexpr std::chrono::days ended_memory{30};

}  // namespace

awaitable<void> Sessions::log_out(UserId user, SessionId own, Cause cause) {
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    SessionRepository::add_revoke(transaction, own, user, "logout", now);
    Audit::add(transaction, user, ActivityAction::user_logout, cause, now, {{"sessionId", own.text()}});
    const auto outcome = co_await database_.commit(std::move(transaction));
    // Otherwise it has ended before, perhaps by the same request, whose answer was lost: then its copy is still there.
    if (!outcome.committed) co_await best_effort([&] { return copies_.erase(user, own); });
    if (outcome.committed) audit_.tell("session.logout", Outcome::success, user, cause, {{"session", own.text()}});
}

awaitable<Result<void>> Sessions::revoke(Actor by, UserId user, SessionId session, AccountAction action, Cause cause) {
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now, user);
    SessionRepository::add_revoke(transaction, session, user, "revoked", now);
    Audit::add(transaction, user, action, cause, now, {{"sessionId", session.text()}});
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) {
        co_await best_effort([&] { return copies_.erase(user, session); });
        co_return fail(errors::session_not_found);
    }
    audit_.tell("session.revoked", Outcome::success, user, cause, {{"session", session.text()}});
    co_return Result<void>{};
}

awaitable<Result<void>> Sessions::revoke_others(Actor by, UserId user, SessionId keep, Cause cause) {
    const TimePoint now = clock_.now();
    const std::string id = keep.text();
    PrivilegedTransaction transaction(by, now, user);
    // Logins in progress end as well: each of them has passed the first check (CHL-4, RAC-3).
    Grants::add_rise(transaction, user, {.session = keep, .identities = true, .devices = true}, "revoked", now);
    Audit::add(transaction, user, ActivityAction::user_revoke_all_sessions, cause, now, {{"exceptSessionId", id}});
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::jwt_access_token_invalid);  // the account was deleted
    audit_.tell("session.revoked", Outcome::success, user, cause, {{"except", id}});
    co_return Result<void>{};
}

awaitable<Result<void>> Sessions::revoke_all(Actor by, UserId user, AccountAction action, Cause cause) {
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now, user);
    Grants::add_rise(transaction, user, {.identities = true, .devices = true}, "revoked", now);
    Audit::add(transaction, user, action, cause, now, {{"sessions", "all"}});
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::user_not_found);
    audit_.tell("session.revoked", Outcome::success, user, cause, {{"sessions", "all"}});
    co_return Result<void>{};
}

awaitable<ListSlice<SessionSummary>> Sessions::list(UserId user, ListQuery query) {
    const TimePoint now = clock_.now();
    return repository_.list_live(user, now, admin_limits(now), std::move(query));
}

awaitable<void> Sessions::forget_old() { return repository_.erase_ended(clock_.now() - ended_memory); }

}  // namespace consentry
