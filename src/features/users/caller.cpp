#include "features/users/caller.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/listed.hpp"

namespace consentry {

std::string grace_line(std::span<const ConsentGrace> graces) {
    std::string out;
    for (const ConsentGrace& grace : graces) {
        out.append(out.empty() ? std::string(grace_header) + ": " : ", ").append(name_of(grace.type));
        out.append(";version=").append(std::to_string(grace.version));
        out.append(";until=\"").append(to_iso8601(grace.until)).append("\"");
    }
    if (!out.empty()) out.append("\r\n");
    return out;
}

awaitable<Result<Caller>> CallerGuard::identify_fully(http::RequestContext& context, AlongWithSession along) {
    auto caller = co_await identify(context, along);
    if (caller && caller->must_change_password)
        co_return fail(Error{errors::password_expired}.with_message(password_temporary_message));
    co_return caller;
}

awaitable<Result<SignedIn>> CallerGuard::sign_in(http::RequestContext& context, AlongWithSession along) {
    auto caller = co_await identify_fully(context, along);
    if (!caller) co_return fail(std::move(caller.error()));
    co_return SignedIn{std::move(*caller)};
}

awaitable<Result<SignedIn>> CallerGuard::admit(http::RequestContext& context, std::type_identity<SignedIn>) {
    return sign_in(context, AlongWithSession::nothing);
}

awaitable<Result<SignedInProvisionally>> CallerGuard::admit(http::RequestContext& context,
                                                            std::type_identity<SignedInProvisionally>) {
    auto caller = co_await identify(context, AlongWithSession::nothing);
    if (!caller) co_return fail(std::move(caller.error()));
    co_return SignedInProvisionally{std::move(*caller)};
}

awaitable<Result<SignedInAdmin>> CallerGuard::admit(http::RequestContext& context, std::type_identity<SignedInAdmin>) {
    auto caller = co_await identify_fully(context);
    if (!caller) co_return fail(std::move(caller.error()));
    if (caller->role == Role::user) co_return fail(errors::role_forbidden);
    co_return SignedInAdmin{std::move(*caller)};
}

awaitable<Result<Visitor>> CallerGuard::admit(http::RequestContext& context, std::type_identity<Visitor>) {
    if (context.request.count("authorization") == 0) co_return Visitor{std::nullopt};
    auto caller = co_await identify_fully(context);
    if (!caller) co_return fail(std::move(caller.error()));
    if (caller->role == Role::user) co_return Visitor{std::nullopt};
    const auto role = co_await see_role(caller->role_id);
    if (!role || role->rights.type == Role::user) co_return Visitor{std::nullopt};
    co_return Visitor{role->rights};
}

awaitable<Result<std::pair<Caller, SeenRole>>> CallerGuard::permit(http::RequestContext& context,
                                                                   std::span<const Ability> required) {
    auto caller = co_await identify_fully(context);
    if (!caller) co_return fail(std::move(caller.error()));
    // Most callers without the right are not admins, so check that first and save them the second look-up.
    if (caller->role == Role::user) co_return fail(errors::role_forbidden);
    auto role = co_await see_role(caller->role_id);
    if (!role || role->rights.type == Role::user) co_return fail(errors::role_forbidden);
    std::string missing;
    for (const Ability ability : required)
        if (!role->rights.allow(ability))
            missing.append(missing.empty() ? "" : ", ")
                .append(name_of(ability.subject))
                .append(":")
                .append(name_of(ability.action));
    if (!missing.empty())
        co_return fail(
            Error{errors::policy_forbidden, boost::json::object{{"abilities", std::move(missing)}}}.with_message(
                "policy.error.forbiddenAbilities"));
    co_return std::pair{std::move(*caller), std::move(*role)};
}

http::Access CallerGuard::access(std::type_identity<SignedIn>) {
    return {.name = "user",
            .security_scheme = "accessToken",
            .demand = "Requires an access token.",
            .errors = {&errors::jwt_access_token_invalid, &errors::blocked_forbidden, &errors::inactive_forbidden,
                       &errors::email_not_verified, &errors::password_expired}};
}

http::Access CallerGuard::access(std::type_identity<SignedInProvisionally>) {
    http::Access out = access(std::type_identity<SignedIn>{});
    out.demand = "Requires an access token, which may be one of a temporary password.";
    return out;
}

http::Access CallerGuard::access(std::type_identity<SignedInAdmin>) {
    http::Access out = access(std::type_identity<SignedIn>{});
    out.name = "admin";
    out.demand = "Requires an administrator's access token.";
    out.errors.push_back(&errors::role_forbidden);
    return out;
}

// Public, because the endpoint works without a token.
http::Access CallerGuard::access(std::type_identity<Visitor>) {
    return {.name = "public",
            .security_scheme = {},
            .optional_scheme = "accessToken",
            .demand = "Public. If the request carries an access token, it must be valid.",
            .errors = access(std::type_identity<SignedIn>{}).errors};
}

std::string CallerGuard::demand_of(std::span<const PolicyType> accepted) {
    std::vector<std::string> names;
    for (const PolicyType type : accepted) names.emplace_back(name_of(type));
    return "Requires an access token and acceptance of the required versions of " + listed(names) + ", if published.";
}

std::string CallerGuard::demand_of(std::span<const Ability> required) {
    std::vector<std::string> names;
    for (const auto& [subject, action] : required)
        names.push_back("`" + std::string(name_of(subject)) + ":" + std::string(name_of(action)) + "`");
    return (names.size() == 1 ? "Requires the ability " : "Requires the abilities ") + listed(names) + ".";
}

}  // namespace consentry
