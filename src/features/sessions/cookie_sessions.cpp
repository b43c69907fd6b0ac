// The part of Sessions that serves cookies, and the activity that all sessions record.
#include <algorithm>

#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "crypto/random.hpp"
#include "features/sessions/session_cookie.hpp"
#include "features/sessions/sessions.hpp"

namespace consentry {
namespace {

// The minimum interval between writes of an admin's activity: a minute, and shorter if the idle limit is below an hour.
constexpr std::chrono::seconds activity_step_max{60};
constexpr int recorded_in_idle_time = 60;
constexpr int prolonged_in_idle_time = 16;  // how often a busy cookie's session is prolonged
// The minimum interval between writes of a user's activity with a cookie, shown on the page of sessions. With tokens,
// the refreshes show it.
constexpr std::chrono::seconds cookie_activity_step_max{std::chrono::hours{1}};
// After a failed write. Otherwise each request would try again, and wait until its write is late.
constexpr std::chrono::seconds recording_pause{5};

}  // namespace

awaitable<Result<LiveSession>> Sessions::authenticate_cookie(std::string cookie, AlongWithSession along) {
    const TimePoint now = clock_.now();
    const auto shown = SessionCookie::parse(cookie);
    if (!shown) co_return fail(errors::jwt_access_token_invalid);
    TokenClaims claims;
    claims.user = shown->user;
    claims.session = shown->session;
    claims.jti = shown->jti();
    auto [session, from_cache] = co_await look_up(claims, now, along);
    if (!session || session->user != claims.user || session->jti != claims.jti)
        co_return fail(errors::jwt_access_token_invalid);
    // A trusted copy holds no digest. Its jti, which is derived from the secret, has just been compared.
    if (!from_cache && !crypto::equal_constant_time(session->access_digest, BytesView(shown->digest())))
        co_return fail(errors::jwt_access_token_invalid);
    if (auto allowed = may_act(*session, errors::jwt_access_token_invalid, now); !allowed)
        co_return fail(std::move(allowed.error()));
    if (is_prolongation_due(*session, now))
        co_await record_use(*session, repository_.prolong(session->id, session->jti, now, end_of(*session, now)));
    else if (is_touch_due(*session, now) || is_cookie_touch_due(*session, now))
        co_await record_use(*session, repository_.touch(session->id, now));
    co_return std::move(*session);
}

Result<CookieRenewal> Sessions::prepare_renewal(std::string_view cookie) const {
    const auto shown = SessionCookie::parse(cookie);
    if (!shown) return fail(errors::jwt_access_token_invalid);
    const SessionCookie next = SessionCookie::make(shown->user, shown->session);
    return CookieRenewal{.cookie = next.text(),
                         .rotation = {.user = shown->user,
                                      .session = shown->session,
                                      .old_jti = shown->jti(),
                                      .presented_digest = shown->digest(),
                                      .new_jti = next.jti(),
                                      .access_digest = next.digest(),
                                      .refresh_digest = crypto::sha256(crypto::random_bytes(32)),  // of no token
                                      .at = clock_.now()}};
}

TimePoint Sessions::end_of(const LiveSession& session, TimePoint now) const {
    const auto& settings = tokens_.settings();
    const auto lifetime = session.role == Role::user ? settings.refresh_lifetime
                                                     : std::min(settings.refresh_lifetime, settings.admin_lifetime);
    return std::min(session.login_at + lifetime, now + settings_.cookie_idle);
}

bool Sessions::is_prolongation_due(const LiveSession& session, TimePoint now) const {
    return session.expires_at + settings_.cookie_idle / prolonged_in_idle_time <= end_of(session, now);
}

bool Sessions::is_touch_due(const LiveSession& session, TimePoint now) const {
    if (session.role == Role::user) return false;
    const auto step = std::min(activity_step_max, settings_.admin_idle / recorded_in_idle_time);
    return now >= session.last_active_at + step;
}

bool Sessions::is_cookie_touch_due(const LiveSession& session, TimePoint now) const {
    const auto step = std::min(cookie_activity_step_max, settings_.cookie_idle / prolonged_in_idle_time);
    return now >= session.last_active_at + step;
}

awaitable<void> Sessions::record_use(const LiveSession& session, awaitable<void> write) {
    if (clock_.lock_time() < recording_from_.load(std::memory_order_relaxed)) co_return;
    try {
        co_await std::move(write);
    } catch (const Unavailable&) {
        recording_from_.store(clock_.lock_time() + recording_pause, std::memory_order_relaxed);
    }
    // Not only a copy that was read just now: look_up() has put one if there was none, with the time from before.
    if (copies_.are_trusted()) co_await best_effort([&] { return copies_.erase(session.user, session.id); });
}

}  // namespace consentry
