// The part of Sessions that replaces tokens by their successors.
#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "features/sessions/sessions.hpp"
#include "features/sessions/successors.hpp"

namespace consentry {
namespace {

std::string successor_key(SessionId session, std::string_view jti) {
    return "Refresh:" + session.text() + ":" + std::string(jti);
}

}  // namespace

awaitable<Refreshed> Sessions::refresh(std::string token, Cause cause) {
    const TimePoint now = clock_.now();
    auto opened = co_await open_refresh(token, now);
    if (!opened) co_return Refreshed{.owner = {}, .pair = fail(std::move(opened.error()))};
    const SessionOwner owner{.user = opened->claims.user, .role = opened->state.live.role};
    auto pair = co_await issue_next(std::move(*opened), std::move(token), std::move(cause), now);
    co_return Refreshed{.owner = owner, .pair = std::move(pair)};
}

awaitable<Result<Sessions::Refreshable>> Sessions::open_refresh(const std::string& token, TimePoint now) {
    const auto candidate = tokens_.examine(TokenKind::refresh, token, now);
    if (!candidate) co_return fail(errors::jwt_refresh_token_invalid);
    const TokenClaims& old = candidate->claims;
    auto state = co_await repository_.find_for_refresh(old.session);
    if (!state || state->live.user != old.user) co_return fail(errors::jwt_refresh_token_invalid);
    const crypto::Sha256 digest = token_digest(TokenKind::refresh, token);
    if (!same_digest(state->refresh_digest, digest)) {
        const bool holds = co_await signature_holds(TokenKind::refresh, *candidate);
        if (!holds) co_return fail(errors::jwt_refresh_token_invalid);
    }
    if (auto allowed = may_act(state->live, errors::jwt_refresh_token_invalid, now); !allowed)
        co_return fail(std::move(allowed.error()));
    co_return Refreshable{.state = std::move(*state), .claims = old, .digest = digest};
}

awaitable<Result<TokenPair>> Sessions::issue_next(Refreshable from, std::string token, Cause cause, TimePoint now) {
    const auto& [state, old, digest] = from;
    if (state.live.jti != old.jti) co_return co_await refresh_again(state, old, digest, token, cause);

    TokenRenewal next = co_await sign_next(state, digest, now);
    // Put before the commit, so that a request that loses the race below finds the winner's answer.
    co_await best_effort([&] {
        const std::string& jti = next.rotation.new_jti;
        return cache_.put(successor_key(old.session, jti), seal_successor(token, jti, next.pair),
                          settings_.refresh_grace);
    });
    using enum SessionRepository::LockAccount;
    bool rotated = co_await rotate(next.rotation, no);
    if (!rotated) {
        auto again = co_await repository_.find_for_refresh(old.session);
        // The token has not been used, so this is no reuse: turning two-factor on, for instance, came between.
        if (again && again->live.jti == old.jti) {
            rotated = co_await rotate(next.rotation, yes);
            if (!rotated) again = co_await repository_.find_for_refresh(old.session);
        }
        if (!rotated) {
            if (!again || again->live.revoked || again->live.jti == old.jti)
                co_return fail(errors::jwt_refresh_token_invalid);
            co_return co_await refresh_again(*again, old, digest, token, cause);
        }
    }
    co_await note_renewed(next);
    audit_.tell("session.refreshed", Outcome::success, old.user, cause, {{"session", old.session.text()}});
    co_return std::move(next.pair);
}

awaitable<TokenRenewal> Sessions::sign_next(const RefreshState& state, std::optional<crypto::Sha256> presented,
                                            TimePoint now) {
    TokenRenewal out;
    out.claims.user = state.live.user;
    out.claims.session = state.live.id;
    out.claims.jti = new_jti();
    out.claims.issued_at = epoch_seconds(now);
    out.claims.login_at = state.live.login_at;
    out.claims.login_from = state.from;
    out.claims.login_with = state.with;
    out.keys_generation = tokens_.keys_generation();
    const TimePoint end = state.live.expires_at;
    out.pair = co_await signing_.run([this, claims = out.claims, now, end] { return tokens_.issue(claims, now, end); });
    out.claims.expires_at = out.claims.issued_at + out.pair.expires_in;
    out.rotation = {.user = state.live.user,
                    .session = state.live.id,
                    .old_jti = state.live.jti,
                    .presented_digest = presented,
                    .new_jti = out.claims.jti,
                    .access_digest = token_digest(TokenKind::access, out.pair.access_token),
                    .refresh_digest = token_digest(TokenKind::refresh, out.pair.refresh_token),
                    .at = now};
    co_return out;
}

awaitable<Result<TokenRenewal>> Sessions::prepare_renewal(SessionId session, std::string jti) {
    const auto state = co_await repository_.find_for_refresh(session);
    if (!state || state->live.revoked || state->live.jti != jti) co_return fail(errors::jwt_access_token_invalid);
    co_return co_await sign_next(*state, std::nullopt, clock_.now());
}

awaitable<void> Sessions::note_renewed(const TokenRenewal& renewal) {
    // The previous access token is no longer valid.
    if (copies_.are_trusted())
        co_await best_effort([&] { return copies_.erase(renewal.claims.user, renewal.claims.session); });
    memory_.remember(renewal.rotation.access_digest, renewal.keys_generation, renewal.claims);
}

awaitable<bool> Sessions::rotate(const Rotation& rotation, SessionRepository::LockAccount lock) {
    std::string why;
    try {
        co_return co_await repository_.rotate(rotation, lock);
    } catch (const storage::OutcomeUnknown& unknown) {
        why = unknown.what();
    }
    const auto found = co_await repository_.find(rotation.session);
    if (!found || found->jti != rotation.new_jti) throw Unavailable("refresh: outcome unknown: " + why);
    co_return true;
}

awaitable<std::optional<TokenPair>> Sessions::cached_successor(SessionId session, const std::string& jti,
                                                               const std::string& token) {
    const auto sealed = co_await best_effort([&] { return cache_.get(successor_key(session, jti)); });
    if (!sealed) co_return std::nullopt;
    co_return open_successor(token, jti, *sealed);
}

awaitable<Result<TokenPair>> Sessions::refresh_again(const RefreshState& state, const TokenClaims& claims,
                                                     const crypto::Sha256& digest, const std::string& token,
                                                     const Cause& cause) {
    const TimePoint now = clock_.now();
    // The grace covers only the exact token used last, whose answer may have been lost. Another encoding of it, or any
    // older token, is reuse. A confirmation uses none: any refresh token of that jti may be the client's.
    const bool was_confirmed = !state.previous_refresh_digest;
    const bool was_last =
        state.previous_jti == claims.jti && (was_confirmed || same_digest(*state.previous_refresh_digest, digest));
    std::optional<TokenPair> cached;
    // The time in the row is that of the instance that answered first, whose clock may be behind this one. The cache
    // measures the grace itself, and only the bearer of that very token can open the copy. No clock alone prolongs the
    // grace: that of a Redis server may be set back.
    if (was_last && happened_within(settings_.refresh_grace + clock_ahead_max, state.issued_at, now))
        cached = co_await cached_successor(claims.session, state.live.jti, token);
    if (!was_last || (!cached && !happened_within(settings_.refresh_grace, state.issued_at, now))) {
        storage::Transaction transaction;
        SessionRepository::add_revoke(transaction, claims.session, claims.user, "reuse", now);
        // Sent once: if the session is already over, the transaction fails as a whole.
        mails_.add_notice(transaction, claims.user, MailKind::session_reuse, cause, now);
        co_await database_.commit(std::move(transaction));
        audit_.tell("session.reuse", Outcome::refused, claims.user, cause, {{"session", claims.session.text()}});
        co_return fail(errors::jwt_refresh_token_invalid);
    }
    // The instance may have ended before it erased the copy, which admits the previous access token.
    if (copies_.are_trusted()) co_await best_effort([&] { return copies_.erase(claims.user, claims.session); });
    if (was_confirmed) co_await repository_.forget_proof(claims.user, claims.session, state.live.jti);
    if (cached) co_return std::move(*cached);
    // The cached copy is gone, so sign the same successor again.
    TokenClaims successor = claims;
    successor.jti = state.live.jti;
    successor.issued_at = epoch_seconds(state.issued_at);
    successor.login_at = state.live.login_at;
    const TimePoint issued_at = state.issued_at;
    const TimePoint end = state.live.expires_at;
    co_return co_await signing_.run(
        [this, successor, issued_at, end] { return tokens_.issue(successor, issued_at, end); });
}

}  // namespace consentry
