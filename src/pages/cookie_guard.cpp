#include "pages/cookie_guard.hpp"

#include "features/sessions/session_cookie.hpp"

namespace consentry {

awaitable<Result<Caller>> CookieGuard::identify(http::RequestContext& context, AlongWithSession along) {
    auto cookie = cookies_.find(context.request, PageCookie::session);
    if (!cookie) co_return fail(errors::jwt_access_token_invalid);
    auto session = co_await sessions().authenticate_cookie(std::move(*cookie), along);
    if (!session) co_return fail(std::move(session.error()));
    co_return caller_of(std::move(*session), context.caller);
}

awaitable<Result<SessionHolder>> CookieGuard::admit(http::RequestContext& context, std::type_identity<SessionHolder>) {
    auto caller = co_await identify(context, AlongWithSession::nothing);
    if (caller) co_return SessionHolder{caller->user, caller->session};
    // Any other refusal is about the account of the session that the cookie has proven.
    const auto cookie = cookies_.find(context.request, PageCookie::session);
    const auto named = cookie ? SessionCookie::parse(*cookie) : std::nullopt;
    if (!named || caller.error().is(errors::jwt_access_token_invalid)) co_return fail(std::move(caller.error()));
    context.caller.user = named->user.uuid();
    context.caller.session = named->session.uuid();
    co_return SessionHolder{named->user, named->session};
}

}  // namespace consentry
