#include "features/sessions/sessions.hpp"

#include <algorithm>
#include <memory>

#include <boost/asio/this_coro.hpp>

#include "base/ascii.hpp"
#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "crypto/random.hpp"
#include "features/sessions/session_cookie.hpp"
#include "features/sessions/successors.hpp"

namespace consentry {
namespace {

constexpr std::size_t remembered_tokens_max = 50'000;  // about 20 MB when full

// Uses the client's own device name, or else its user agent without digits, so that an update does not count as a new
// device.
crypto::Sha256 device_digest(const Origin& origin) {
    if (origin.device) return crypto::sha256("fingerprint\n" + origin.device->fingerprint);
    std::string agent = origin.user_agent;
    std::erase_if(agent, [](char c) { return is_digit(c) || c == '.'; });
    return crypto::sha256("user agent\n" + agent);
}

}  // namespace

Sessions::Sessions(storage::Database& database, storage::Cache& cache, const Clock& clock, const Tokens& tokens,
                   WorkerPool& signing, Mails& mails, Audit audit, SessionSettings settings)
    : database_(database),
      repository_(database),
      copies_(cache, settings.check, settings.cache_key_pattern, settings.copy_secrets),
      cache_(cache),
      clock_(clock),
      tokens_(tokens),
      signing_(signing),
      mails_(mails),
      audit_(audit),
      settings_(std::move(settings)),
      memory_(remembered_tokens_max) {
    database_.listen(SessionRepository::ended, [this](storage::Rows rows) { return forget_copies(std::move(rows)); });
}

Sessions::~Sessions() { database_.listen(SessionRepository::ended, {}); }

awaitable<void> Sessions::forget_copies(storage::Rows ended) {
    // One copy that cannot be erased must not keep the others.
    for (std::size_t i = 0; i < ended.size(); ++i)
        co_await best_effort([&] { return copies_.erase(ended[i].id<UserId>(0), ended[i].id<SessionId>(1)); });
}

awaitable<PreparedSession> Sessions::prepare(const User& user, Origin origin,
                                             std::optional<crypto::Sha256> challenge_digest) {
    const TimePoint now = clock_.now();
    const auto& settings = tokens_.settings();
    PreparedSession out;
    out.row.id = SessionId::make(now);
    out.row.user = user.id;
    out.row.jti = new_jti();
    out.row.challenge_digest = challenge_digest;
    out.row.origin = std::move(origin);
    out.row.issued_at = now;
    out.row.security_version = user.security_version;
    // An admin's session ends within a day (SES-7). A refresh does not extend it.
    out.row.expires_at = now + (user.role == Role::user ? settings.refresh_lifetime
                                                        : std::min(settings.refresh_lifetime, settings.admin_lifetime));
    const crypto::Sha256 device = device_digest(out.row.origin);
    const auto memory = co_await repository_.find_device(user.id, device);
    if (!memory.known) out.new_device = device;
    out.devices = memory.devices;
    if (out.row.origin.kind != SessionKind::cookie) co_return co_await sign_tokens(std::move(out));
    SessionCookie cookie = SessionCookie::make(user.id, out.row.id);
    out.row.jti = cookie.jti();
    out.row.access_digest = cookie.digest();
    out.row.refresh_digest = crypto::sha256(crypto::random_bytes(32));  // of no token
    out.row.expires_at = std::min(out.row.expires_at, now + settings_.cookie_idle);
    out.grant.cookie = cookie.text();
    co_return out;
}

awaitable<PreparedSession> Sessions::sign_tokens(PreparedSession session) {
    const TimePoint now = session.row.issued_at;
    const TimePoint end = session.row.expires_at;
    TokenClaims claims;
    claims.user = session.row.user;
    claims.session = session.row.id;
    claims.jti = session.row.jti;
    claims.issued_at = epoch_seconds(now);
    claims.login_at = now;
    claims.login_from = session.row.origin.from;
    claims.login_with = session.row.origin.with;
    session.keys_generation = tokens_.keys_generation();
    const TokenPair& tokens = session.grant.tokens.emplace(
        co_await signing_.run([this, claims, now, end] { return tokens_.issue(claims, now, end); }));
    session.row.access_digest = token_digest(TokenKind::access, tokens.access_token);
    session.row.refresh_digest = token_digest(TokenKind::refresh, tokens.refresh_token);
    co_return session;
}

Sessions::Endings Sessions::add_to(storage::Transaction& transaction, const PreparedSession& session) {
    SessionRepository::add_insert(transaction, session.row);
    Endings endings{.begin = transaction.statements().size(), .end = 0};
    SessionRepository::add_replacement(transaction, session.row);
    SessionRepository::add_bound(transaction, session.row, settings_.per_user_max, admin_limits(session.row.issued_at));
    endings.end = transaction.statements().size();
    if (!session.new_device) return endings;
    const NewSession& row = session.row;
    SessionRepository::add_device(transaction, row.user, *session.new_device, session.devices, row.issued_at);
    if (session.devices == 0) return endings;  // no news to the owner of a first one
    MailFacts facts{{"address", row.origin.ip_address}, {"userAgent", row.origin.user_agent}};
    if (row.origin.device && row.origin.device->name) facts.emplace_back("device", *row.origin.device->name);
    mails_.add(transaction, row.user, MailKind::new_device, std::move(facts), row.issued_at);
    return endings;
}

void Sessions::note_begun(const PreparedSession& session, const storage::Outcome& outcome, Endings endings,
                          const Cause& cause) {
    // There are no results if the answer to the commit was lost.
    for (std::size_t i = endings.begin; i < std::min(endings.end, outcome.results.size()); ++i)
        for (const ReplacedSession& one : SessionRepository::read_replaced(outcome.results[i]))
            audit_.tell("session.revoked", Outcome::success, session.row.user, cause,
                        {{"session", one.id.text()}, {"reason", one.reason}});
    remember_tokens(session);
}

awaitable<bool> Sessions::is_spent(crypto::Sha256 challenge_digest) { return repository_.is_spent(challenge_digest); }

awaitable<bool> Sessions::exists(SessionId session) {
    const auto found = co_await repository_.find(session);
    co_return found.has_value();
}

void Sessions::remember_tokens(const PreparedSession& session) {
    if (!session.grant.tokens) return;
    TokenClaims claims;
    claims.user = session.row.user;
    claims.session = session.row.id;
    claims.jti = session.row.jti;
    claims.issued_at = epoch_seconds(session.row.issued_at);
    claims.expires_at = claims.issued_at + session.grant.tokens->expires_in;
    memory_.remember(session.row.access_digest, session.keys_generation, claims);
}

AdminLimits Sessions::admin_limits(TimePoint now) const {
    return {.active_after = now - settings_.admin_idle,
            .active_until = now + clock_ahead_max,
            .begun_after = now - tokens_.settings().admin_lifetime};
}

Result<void> Sessions::may_act(const LiveSession& session, const ErrorKind& invalid, TimePoint now) const {
    if (session.revoked || session.deleted || session.expires_at <= now) return fail(invalid);
    if (session.role != Role::user) {  // also of those who became admins after they logged in
        const auto [active_after, active_until, begun_after] = admin_limits(now);
        if (session.last_active_at <= active_after || session.last_active_at > active_until ||
            session.login_at <= begun_after)
            return fail(invalid);
    }
    if (session.status == UserStatus::blocked) return fail(errors::blocked_forbidden);
    if (session.status != UserStatus::active) return fail(errors::inactive_forbidden);
    if (!session.is_verified) return fail(errors::email_not_verified);
    if (session.password_expires_at && *session.password_expires_at <= now) return fail(errors::password_expired);
    return {};
}

awaitable<void> Sessions::remember(const LiveSession& session, TimePoint now) {
    try {
        co_await copies_.put(session, now);
        if (!copies_.are_trusted()) co_return;
        // If the session ended between the read and the put above, the notification came before there was a copy to
        // erase (SES-2).
        const auto still = co_await repository_.find(session.id);
        if (!still || still->revoked || still->jti != session.jti ||
            still->security_version != session.security_version || still->proven_at != session.proven_at)
            co_await copies_.erase(session.user, session.id);
    } catch (const Unavailable&) {
    }
}

awaitable<Sessions::LookedUp> Sessions::look_up(const TokenClaims& claims, TimePoint now, AlongWithSession along) {
    // Not best_effort(), which would be one more coroutine for every authenticated request. On a cache outage the
    // database decides alone.
    std::unique_ptr<storage::Cache::Reading> copy;
    try {
        if (copies_.are_trusted()) {
            auto trusted = co_await copies_.find(claims.user, claims.session, claims.jti, now);
            // A read from the database reveals a new epoch; from then on this instance ignores copies of an older one.
            if (trusted && trusted->epoch >= epoch_.load(std::memory_order_relaxed))
                co_return LookedUp{.session = std::move(trusted), .from_cache = true};
        } else {
            copy = copies_.begin_read(co_await boost::asio::this_coro::executor, claims.user, claims.session);
        }
    } catch (const Unavailable&) {
    }
    auto session = co_await repository_.find(claims.session, along);
    if (!session) co_return LookedUp{};
    for (auto known = epoch_.load(std::memory_order_relaxed);
         known < session->epoch && !epoch_.compare_exchange_weak(known, session->epoch, std::memory_order_relaxed);) {
    }
    bool is_copied = false;
    try {
        if (copy && !copy->is_done()) co_await copy->wait();
        const auto found = copy ? copy->value() : std::nullopt;
        is_copied = found && SessionCopies::is_of(*found, claims.jti);
    } catch (const Unavailable&) {
    }
    // Do not cache a session that may not act: with SESSION_CHECK=cache the next request would trust the copy.
    if (!is_copied && may_act(*session, errors::jwt_access_token_invalid, now)) co_await remember(*session, now);
    co_return LookedUp{.session = std::move(session)};
}

awaitable<bool> Sessions::signature_holds(TokenKind kind, const Tokens::Candidate& candidate) {
    // P-256 and Ed25519 verify faster than a busy service hands work to another thread; the larger curves do not.
    const bool quick = candidate.key.algorithm() == crypto::SignatureAlgorithm::es256 ||
                       candidate.key.algorithm() == crypto::SignatureAlgorithm::eddsa;
    if (quick && kind == TokenKind::access)
        co_return candidate.key.verify(candidate.jws.signing_input, candidate.jws.signature);
    // The worker gets copies, because a request canceled at its deadline must not free memory that the worker uses.
    std::string input(candidate.jws.signing_input);
    co_return co_await signing_.run([key = candidate.key, input = std::move(input),
                                     signature = candidate.jws.signature] { return key.verify(input, signature); });
}

awaitable<Result<LiveSession>> Sessions::authenticate(std::string_view token, AlongWithSession along) {
    const TimePoint now = clock_.now();
    const std::uint64_t generation = tokens_.keys_generation();
    const crypto::Sha256 digest = token_digest(TokenKind::access, token);
    auto claims = memory_.find(digest, generation, now);
    const bool remembered = claims.has_value();
    std::optional<Tokens::Candidate> candidate;
    if (!remembered) {
        candidate = tokens_.examine(TokenKind::access, token, now);
        if (!candidate) co_return fail(errors::jwt_access_token_invalid);
        claims = candidate->claims;
    }
    auto session = (co_await look_up(*claims, now, along)).session;
    // Kind, subject and jti must all match the stored session (SES-1).
    if (!session || session->user != claims->user || session->jti != claims->jti)
        co_return fail(errors::jwt_access_token_invalid);
    if (!remembered) {
        // A token whose digest is stored with the session is one we issued; otherwise verify the signature.
        const bool issued = same_digest(session->access_digest, digest);
        if (!issued) {
            const bool holds = co_await signature_holds(TokenKind::access, *candidate);
            if (!holds) co_return fail(errors::jwt_access_token_invalid);
        }
        memory_.remember(digest, generation, *claims);
    }
    if (auto allowed = may_act(*session, errors::jwt_access_token_invalid, now); !allowed)
        co_return fail(std::move(allowed.error()));
    if (is_touch_due(*session, now)) co_await record_use(*session, repository_.touch(session->id, now));
    co_return std::move(*session);
}

}  // namespace consentry
