#include "pages/guarded_host_pages.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "http/endpoint/inputs.hpp"
#include "pages/function_handler.hpp"

namespace consentry {
namespace {

std::string query_value(const http::Request& request, std::string_view name) {
    const auto query = http::parse_query(request.query).value_or(std::vector<http::NamedText>{});
    const auto found = std::ranges::find(query, name, &http::NamedText::name);
    return found == query.end() ? std::string() : found->value;
}

bool is_second_time(const http::Request& request) { return query_value(request, "again") == "1"; }

http::Reply redirect(Onward onward) {
    http::Reply reply;
    reply.status = 303;
    reply.content_type = "text/html; charset=utf-8";
    reply.extra_headers = "Location: " + onward.address + "\r\n" + onward.headers;
    return reply;
}

// Whether the browser wants to show the answer inside of another page, which ours do not permit.
bool is_framed(const http::Request& request) {
    return request.header("sec-fetch-dest").value_or("document") != "document";
}

}  // namespace

void GuardedHostPages::add_to(http::Router& router) {
    const auto page = [&router](std::string_view path, std::string_view id) {
        return router.page(http::Method::get, path).id(id).tag("pages");
    };
    page("/.consentry/start", "guardedHostStart").handled_with(handler_of([this](http::RequestContext& context) {
        return start(context);
    }));
    page("/.consentry/callback", "guardedHostCallback").handled_with(handler_of([this](http::RequestContext& context) {
        return callback(context);
    }));
    page("/.consentry/forbidden", "guardedHostForbidden")
        .handled_with(handler_of([this](http::RequestContext& context) { return forbidden(context); }));
    Pages(router, kit_)
        .show("/login/hand-over",
              {.id = "handOver", .file = "hand_over.html", .title = "handOver.title", .names = {"address", "host"}},
              [this](const VisitOf<SignedIn>& visit) { return hand_over(visit); });
}

Result<std::string> GuardedHostPages::origin_of(const http::RequestContext& context) const {
    const auto asked = cookies_.hosts().asked(context);
    if (!asked || !cookies_.hosts().contain(asked->origin)) return fail(errors::route_not_found);
    return asked->origin;
}

GuardedHostPages::Answer GuardedHostPages::start(http::RequestContext& context) const {
    auto origin = origin_of(context);
    if (!origin) co_return fail(std::move(origin.error()));
    const Destination destination{.path = query_value(context.request, "return"),
                                  .is_second_time = is_second_time(context.request)};
    co_return redirect(hand_over_.begin(context.request, *origin, destination));
}

// Ends the chain of redirects that the form of a login began. Chromium applies the form's policy to the whole chain,
// and the application may redirect to a host that this service does not know.
awaitable<Result<PageAnswer>> GuardedHostPages::hand_over(const VisitOf<SignedIn>& visit) const {
    const auto back = Address::safe_return(visit.query("return"), {}).value_or(Address("/"));
    const std::string origin = visit.query("origin");
    auto address = hand_over_.issue(visit.cookie(PageCookie::session).value_or(""), origin, visit.query("browser"),
                                    {.path = back.text(), .is_second_time = is_second_time(visit.context().request)});
    if (!address) co_return fail(std::move(address.error()));
    PageAnswer answer =
        PageAnswer::of_once(View().text("address", *address).text("host", origin.substr(origin.find("//") + 2)));
    if (is_framed(visit.context().request)) {
        // No form of ours began this chain.
        answer.status = 303;
        answer.headers = "Location: " + *address + "\r\n";
    } else {
        answer.headers = "Refresh: 0;url=" + *address + "\r\n";
    }
    co_return answer;
}

GuardedHostPages::Answer GuardedHostPages::callback(http::RequestContext& context) {
    auto origin = origin_of(context);
    if (!origin) co_return fail(std::move(origin.error()));
    const auto back = Address::safe_return(query_value(context.request, "return"), {});
    Destination destination{.path = back ? back->text() : std::string(),
                            .is_second_time = is_second_time(context.request)};
    auto onward = co_await hand_over_.redeem(context.request, *origin, query_value(context.request, "code"),
                                             std::move(destination));
    if (!onward) co_return fail(std::move(onward.error()));
    co_return redirect(std::move(*onward));
}

// For proxies that keep a refusal's status only. The refusal is the page: that of the caller if they may not act at
// all, otherwise that of the role.
GuardedHostPages::Answer GuardedHostPages::forbidden(http::RequestContext& context) {
    auto caller = co_await callers_.admit(context, std::type_identity<AskedCaller>{});
    const bool may_act = caller || caller.error().is(errors::jwt_access_token_invalid);
    co_return fail(may_act ? Error{errors::role_forbidden} : std::move(caller.error()));
}

}  // namespace consentry
