#include "pages/cookie_guard.hpp"

namespace consentry {

awaitable<Result<Caller>> CookieGuard::identify(http::RequestContext& context, AlongWithSession along) {
    auto cookie = cookies_.find(context.request, PageCookie::session);
    if (!cookie) co_return fail(errors::jwt_access_token_invalid);
    auto session = co_await sessions().authenticate_cookie(std::move(*cookie), along);
    if (!session) co_return fail(std::move(session.error()));
    co_return caller_of(std::move(*session), context.caller);
}

}  // namespace consentry
