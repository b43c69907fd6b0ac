#include "features/sessions/guard.hpp"

#include "http/bearer.hpp"

namespace consentry {

Caller caller_of(LiveSession session, http::KnownCaller& known) {
    known.user = session.user.uuid();
    known.session = session.id.uuid();
    return {.user = session.user,
            .session = session.id,
            .jti = std::move(session.jti),
            .security_version = session.security_version,
            .email = std::move(session.email),
            .role = session.role,
            .role_id = session.role_id,
            .must_change_password = session.must_change_password,
            .proven_at = session.proven_at,
            .policy_state = std::move(session.policy_state)};
}

awaitable<Result<Caller>> SessionGuard::identify(http::RequestContext& context, AlongWithSession along) {
    const auto token = http::bearer_token(context.request);
    if (!token) co_return fail(errors::jwt_access_token_invalid);
    auto session = co_await sessions().authenticate(*token, along);
    if (!session) co_return fail(std::move(session.error()));
    co_return caller_of(std::move(*session), context.caller);
}

awaitable<Result<RefreshBearer>> SessionGuard::admit(http::RequestContext& context, std::type_identity<RefreshBearer>) {
    const auto token = http::bearer_token(context.request);
    if (!token) co_return fail(errors::jwt_refresh_token_invalid);
    co_return RefreshBearer{std::string(*token), context.caller};
}

http::Access SessionGuard::access(std::type_identity<RefreshBearer>) {
    return {.name = "refresh",
            .security_scheme = "refreshToken",
            .demand = "Requires a refresh token as the bearer token.",
            .errors = {&errors::jwt_refresh_token_invalid, &errors::blocked_forbidden, &errors::inactive_forbidden,
                       &errors::email_not_verified, &errors::password_expired}};
}

}  // namespace consentry
