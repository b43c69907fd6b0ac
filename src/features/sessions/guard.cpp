#include "features/sessions/guard.hpp"

#include "base/text.hpp"

namespace consentry {
namespace {

constexpr std::string_view prefix = "Bearer ";

// Exactly one header with the prefix and one token. Two headers could be read differently by somebody in between.
std::optional<std::string_view> bearer(const http::RequestContext& context) {
    if (context.request.count("authorization") != 1) return std::nullopt;
    const std::string_view value = *context.request.header("authorization");
    if (value.size() <= prefix.size() || !equal_ignoring_case(value.substr(0, prefix.size()), prefix))
        return std::nullopt;
    return value.substr(prefix.size());
}

}  // namespace

awaitable<Result<Caller>> SessionGuard::identify(http::RequestContext& context) {
    const auto token = bearer(context);
    if (!token) co_return fail(errors::jwt_access_token_invalid);
    auto session = co_await sessions_.authenticate(*token);
    if (!session) co_return fail(std::move(session.error()));
    context.caller.user = session->user.uuid();
    context.caller.session = session->id.uuid();
    co_return Caller{.user = session->user,
                     .session = session->id,
                     .email = std::move(session->email),
                     .role = session->role,
                     .role_id = session->role_id,
                     .must_change_password = session->must_change_password};
}

awaitable<Result<RefreshBearer>> SessionGuard::admit(http::RequestContext& context, std::type_identity<RefreshBearer>) {
    const auto token = bearer(context);
    if (!token) co_return fail(errors::jwt_refresh_token_invalid);
    co_return RefreshBearer{std::string(*token)};
}

http::Access SessionGuard::access(std::type_identity<RefreshBearer>) {
    return {.name = "refresh",
            .security_scheme = "refreshToken",
            .errors = {&errors::jwt_refresh_token_invalid, &errors::blocked_forbidden, &errors::inactive_forbidden,
                       &errors::email_not_verified, &errors::password_expired}};
}

}  // namespace consentry
