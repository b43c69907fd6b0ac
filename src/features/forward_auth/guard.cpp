#include "features/forward_auth/guard.hpp"

#include "base/errors.hpp"
#include "http/bearer.hpp"

namespace consentry {

awaitable<Result<AskedCaller>> ForwardAuthGuard::admit(http::RequestContext& context, std::type_identity<AskedCaller>) {
    // Proxies usually demand policies; which ones is read later.
    auto caller = co_await sign_in(context, AlongWithSession::policy_state);
    if (!caller) co_return fail(std::move(caller.error()));
    co_return AskedCaller(std::move(*caller));
}

http::Access ForwardAuthGuard::access(std::type_identity<AskedCaller>) {
    http::Access out = access(std::type_identity<SignedIn>{});
    out.demand = "Requires an access token, or a browser's cookie of the application's host.";
    return out;
}

awaitable<Result<Caller>> ForwardAuthGuard::identify(http::RequestContext& context, AlongWithSession along) {
    auto session = co_await authenticate(context, along);
    if (!session) co_return fail(std::move(session.error()));
    co_return caller_of(std::move(*session), context.caller);
}

// A token that was sent decides alone, so that a program learns that its token is no longer valid.
awaitable<Result<LiveSession>> ForwardAuthGuard::authenticate(const http::RequestContext& context,
                                                              AlongWithSession along) {
    if (context.request.header("authorization")) {
        const auto token = http::bearer_token(context.request);
        if (!token) co_return fail(errors::jwt_access_token_invalid);
        co_return co_await sessions().authenticate(*token, along);
    }
    const auto asked = cookies_.hosts().asked(context);
    auto session = asked ? cookies_.find(context.request, asked->origin) : std::nullopt;
    if (!session) co_return fail(errors::jwt_access_token_invalid);
    co_return co_await sessions().authenticate_cookie(std::move(*session), along);
}

}  // namespace consentry
