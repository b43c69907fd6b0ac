#include "features/sessions/endpoints.hpp"

#include <boost/json/serialize.hpp>

#include "crypto/digest.hpp"
#include "features/sessions/dto.hpp"
#include "features/sessions/guard.hpp"
#include "http/endpoint.hpp"
#include "http/etag.hpp"

namespace consentry {
namespace {

using http::Done;

awaitable<Result<TokenResponse>> refresh(Sessions& sessions, RefreshBearer bearer, Cause cause) {
    auto [owner, pair] = co_await sessions.refresh(bearer.token(), std::move(cause));
    if (owner) bearer.belongs_to(owner->user);
    if (!pair) co_return fail(std::move(pair.error()));
    co_return TokenResponse::of(*pair, owner->role);
}

awaitable<Result<Done>> log_out(Sessions& sessions, UserId user, SessionId own, Cause cause) {
    co_await sessions.log_out(user, own, std::move(cause));
    co_return Done{};
}

awaitable<Result<http::Raw>> jwks(KeyRing& keys) {
    // Cached for five minutes. Clients that meet an unknown kid fetch the keys again, so a new key may sign at once.
    std::string body = boost::json::serialize(keys.jwks());
    std::string etag = http::weak_etag(to_base64url(crypto::sha256(body)));
    co_return http::Raw{.content_type = "application/jwk-set+json; charset=utf-8",
                        .body = std::move(body),
                        .cache_control = "public, max-age=300",
                        .etag = std::move(etag)};
}

constexpr std::string_view jwks_description =
    "A JSON Web Key Set (RFC 7517): the key that signs, former ones until their last tokens have expired, and new ones "
    "if the operator has announced them. A new key may sign without an announcement: if a token names an unknown "
    "`kid`, fetch the set again, past any shared cache (`Cache-Control: no-cache`).";

void add_token_endpoints(http::Router& router, Sessions& sessions) {
    router.post("/shared/user/refresh")
        .also_at("/user/refresh")
        .id("refreshTokens")
        .tag("session")
        .says("Refresh the tokens")
        .describes(
            "The refresh token works once: a repeat within a few seconds gets the same "
            "answer; a later repeat ends the session.")
        .message("user.refresh")
        .handled_by([&sessions](const RefreshBearer& bearer, const http::RequestContext& context) {
            return refresh(sessions, bearer, cause_of(context));
        });

    router.post("/shared/user/logout")
        .also_at("/user/logout")
        .id("logout")
        .tag("session")
        .says("Log out")
        .describes(
            "Ends the session of the access token. Both tokens stop working immediately; other sessions of the account "
            "continue.")
        .message("user.logout")
        .handled_by([&sessions](const SignedInProvisionally& caller, const http::RequestContext& context) {
            return log_out(sessions, caller.user(), caller.session(), cause_of(context));
        });
}

void add_own_session_endpoints(http::Router& router, Sessions& sessions) {
    router.get("/shared/user/session/list")
        .also_at("/user/session/list")
        .id("listSessions")
        .tag("session")
        .says("List your active sessions")
        .describes("Newest first, with device, address and times. `isCurrent` marks the session of this request.")
        .message("session.list")
        .handled_by([&sessions](const SignedIn& caller, http::List<SessionListing> wanted) {
            return http::reply(
                std::move(wanted),
                [&sessions, user = caller.user()](const ListQuery& query) { return sessions.list(user, query); },
                [user = caller.user(), current = caller.session()](const SessionSummary& session) {
                    return SessionResponse{SessionFields::of(session, user), session.id == current};
                });
        });

    router.erase("/shared/user/session/revoke/:sessionId")
        .also_at("/user/session/revoke/:sessionId")
        .id("revokeSession")
        .tag("session")
        .says("Revoke one of your sessions")
        .describes(
            "The tokens of the session stop working immediately. The session of another account gives 404, like one "
            "that does not exist.")
        .may_fail({&errors::session_not_found})
        .handled_by(
            [&sessions](const SignedIn& caller, const http::RequestContext& context, http::FromPath<SessionPath> path) {
                return http::reply<http::NoContent>(sessions.revoke(caller.actor(), caller.user(), path->session_id,
                                                                    ActivityAction::user_revoke_session,
                                                                    cause_of(context)));
            });
}

}  // namespace

void add_session_endpoints(http::Router& router, Sessions& sessions, KeyRing& keys) {
    add_token_endpoints(router, sessions);
    add_own_session_endpoints(router, sessions);

    router.get("/.well-known/jwks.json")
        .outside_prefix()
        .without_api_key()
        .id("jwks")
        .tag("session")
        .says("Get the public keys that verify access tokens")
        .describes(jwks_description)
        .answers_with("application/jwk-set+json")
        .with_etag()
        .handled_by([&keys] { return jwks(keys); });
}

}  // namespace consentry
