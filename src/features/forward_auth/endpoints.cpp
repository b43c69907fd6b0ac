#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "features/forward_auth/dto.hpp"
#include "features/forward_auth/guard.hpp"

namespace consentry {
namespace {

using http::Done;
using Answer = storage::awaitable<Result<Done>>;

constexpr std::string_view roles_header = "X-Required-Roles";
constexpr std::string_view policies_header = "X-Required-Policies";

Answer refuse(Error error) { co_return fail(std::move(error)); }

Demand demand_of(const ForwardAuthQuery& query) {
    Report ignored;  // the query has already passed its own check
    return ForwardAuthQuery::demand(query, ignored);
}

// Allows one header line at most: a client could add a second one with roles that the operator did not list.
std::optional<std::string> only_line(const http::Request& request, std::string_view name, Report& report) {
    const auto value = request.header(name);
    if (!value) return std::nullopt;
    if (request.count(name) > 1) report.add("isUnique", name);
    return std::string(*value);
}

// Adds the requirements in the headers to `demand`.
Result<Demand> with_headers(const http::Request& request, Demand demand) {
    Report report;
    Demand more;
    if (const auto list = only_line(request, roles_header, report))
        more.roles.push_back(read_types<Role>(*list, roles_header, report));
    if (const auto list = only_line(request, policies_header, report))
        more.policies = read_types<PolicyType>(*list, policies_header, report);
    if (!report.empty()) return fail(Error{errors::validation, report.take()});
    demand.add(std::move(more));
    return demand;
}

// The path ends with the slash. An operator who configured the exact path with a slash too many still gets the demands
// of the query. The query may also be that of an application's start page, so only these two names are read, and they
// can only narrow what the client may do.
Result<Demand> behind_the_slash(const http::Request& request) {
    std::vector<http::NamedText> named;
    // Each pair by itself: one that cannot be decoded must not drop the demands of the others.
    for (const std::string_view pair : split(request.query, '&')) {
        auto decoded = http::parse_query(pair);
        // As it stands: no role and no policy has a percent sign in its name, so that it is refused.
        if (!decoded) decoded = {{std::string(pair.substr(0, pair.find('='))), std::string(pair)}};
        std::ranges::copy_if(*decoded, std::back_inserter(named), [](const http::NamedText& text) {
            return text.name == "roles" || text.name == "policies";
        });
    }
    Report report;
    ForwardAuthQuery wanted;
    http::read_texts(std::span<const http::NamedText>(named), wanted, report);
    if (!report.empty()) return fail(Error{errors::validation, report.take()});
    return demand_of(wanted);
}

Result<Demand> demand_by_path(const http::Request& request, const ForwardedPath& path) {
    auto demand = path.path.value_or("").empty() ? behind_the_slash(request) : Result<Demand>();
    if (!demand) return demand;
    return with_headers(request, std::move(*demand));
}

Answer admit(ForwardAuth& forward_auth, const AskedCaller& asked, Result<Demand> demand) {
    if (!demand) return refuse(std::move(demand.error()));
    return forward_auth.admit(asked.caller(), std::move(*demand));
}

// Common to both operations: the method and the body are those of the request to the application.
http::Endpoint& describe(http::Endpoint& endpoint) {
    return endpoint.also_by_any_method()
        .at_guarded_host()
        .ignores_input()
        .tag("forwardAuth")
        .message("forwardAuth.check")
        .may_fail({&errors::role_forbidden, &errors::term_policy_required})
        .reads_header(roles_header, "Role types, separated by commas; adds to the requirements in the query")
        .reads_header(policies_header, "Policy types, separated by commas; adds to the requirements in the query")
        .reads_header("X-Forwarded-Method",
                      "Method of the client's request, from a trusted proxy; if absent, the method of the proxy's own "
                      "request counts. Only `GET` opens a page")
        .reads_header("X-Forwarded-Proto", "`https` or `http`, by which the client reached the trusted proxy")
        .reads_header(
            "X-Forwarded-Host",
            "Host that the client requested, from a trusted proxy; if absent, the host of the proxy's own request "
            "counts")
        .reads_header("X-Forwarded-Uri",
                      "Path and query that the client requested, from a trusted proxy: where a browser returns")
        .reads_header("X-Original-URL",
                      "Address that the client requested, from a trusted proxy that sends no `X-Forwarded-Host`")
        .reads_header(
            "Sec-Fetch-Mode",
            "`navigate`, from a browser that opens a page; if absent, a client whose `Accept` names `text/html` "
            "counts as a browser that opens a page")
        .answers_header("X-User-Id", "Account ID of the caller")
        .answers_header("X-User-Email", "Email address of the caller")
        .answers_header("X-User-Role", "Role type of the caller: user, admin or superAdmin")
        .answers_header("X-Session-Id", "Session ID of the access token")
        .answers_header(grace_header, grace_header_description);
}

}  // namespace

void add_forward_auth_endpoints(http::Router& router, ForwardAuth& forward_auth) {
    http::Endpoint at_one_path = router.get("/forward-auth");
    describe(at_one_path)
        .id("forwardAuth")
        .says("Authorize a request for a proxy")
        .describes(
            "For `auth_request` in nginx and ForwardAuth in Traefik. Answers 200 with the caller in the `X-User-*` and "
            "`X-Session-Id` headers, or 401 or 403. The proxy must replace these headers in the client's request. "
            "Accepts any method and ignores the body. A browser that opens a page of the application is sent to the "
            "page where the user can log in, change the password or accept a policy (302), or, with `deny=401`, gets "
            "401 with the same `Location`; other errors are pages. The headers `X-Required-Roles` and "
            "`X-Required-Policies`, one line each, add to the requirements in the query.")
        .handled_by([&forward_auth](const AskedCaller& caller, const http::RequestContext& context,
                                    http::FromQuery<ForwardAuthQuery> query) {
            return admit(forward_auth, caller, with_headers(context.request, demand_of(query.value)));
        });

    http::Endpoint at_any_path = router.get("/forward-auth/:path");
    describe(at_any_path)
        .with_rest_of_path()
        .id("forwardAuthByPath")
        .says("Authorize a request for a proxy that appends the application's path")
        .describes(
            "For `ext_authz` in Envoy with `path_prefix`. The path and query belong to the application: they "
            "set no requirements, and Consentry uses them only to send a browser back after a login. The headers "
            "`X-Required-Roles` and `X-Required-Policies`, one line each, name the required "
            "roles and policies; the proxy must set them itself. If nothing follows the slash, `roles` and `policies` "
            "in the query apply too.")
        .handled_by([&forward_auth](const AskedCaller& caller, const http::RequestContext& context,
                                    http::FromPath<ForwardedPath> path) {
            return admit(forward_auth, caller, demand_by_path(context.request, path.value));
        });
}

}  // namespace consentry
