#include "pages/navigations.hpp"

#include <algorithm>
#include <string_view>

#include "base/errors.hpp"
#include "base/percent_encoding.hpp"
#include "http/endpoint/inputs.hpp"
#include "http/steps/accept.hpp"
#include "pages/address.hpp"
#include "pages/refusal_page.hpp"

namespace consentry {
namespace {

constexpr std::string_view check_path = "/forward-auth";
constexpr std::string_view guarded_path = "/.consentry/";
constexpr std::string_view by_path = "forwardAuthByPath";

bool is_check(const http::Operation* operation) {
    return operation != nullptr && (operation->id == "forwardAuth" || operation->id == by_path);
}

// The client's path and query, which a proxy has appended to that of the check.
std::string_view appended_path(const http::RequestContext& context) {
    if (context.operation->id != by_path) return {};
    const std::string_view target = context.request.target;
    return target.substr(std::min(target.size(), target.find(check_path) + check_path.size()));
}

bool wants_401(const http::RequestContext& context) {
    const auto query = http::parse_query(context.request.query);
    return context.operation->id != by_path && query && std::ranges::any_of(*query, [](const http::NamedText& text) {
               return text.name == "deny" && text.value == "401";
           });
}

// The page that shows documents is told which ones the refusal names.
std::optional<std::string> location_for(const Error& refusal) {
    const auto page = page_for(refusal);
    if (!page) return std::nullopt;
    std::string out(page->text());
    if (!refusal.is(errors::term_policy_required)) return out;
    std::string types;
    for (const auto& policy : refusal.data().at("policies").as_array())
        types.append(types.empty() ? "" : ",").append(policy.at("type").as_string());
    return out + "?policies=" + types;
}

// An address that the pages would refuse leads back to the application's first page.
std::string way_back(const AskedAddress& asked) {
    const std::string whole = asked.text();
    return whole.size() <= Address::bytes_max && has_one_reading(asked.path) ? whole : asked.origin + "/";
}

}  // namespace

bool Navigations::contain(const http::RequestContext& context) const {
    const http::Request& request = context.request;
    if (!is_check(context.operation) || request.header("authorization")) return false;
    const auto asked = hosts_.asked(context);
    if (asked ? !asked->is_get : request.method != http::Method::get) return false;
    const auto mode = request.header("sec-fetch-mode");
    return mode ? *mode == "navigate" : http::names_html(request);
}

bool Navigations::are_at_guarded_host(const http::RequestContext& context) {
    return is_check(context.operation) || context.request.path.starts_with(guarded_path);
}

std::optional<http::Reply> Navigations::way_in(const http::RequestContext& context, const Error& refusal) const {
    auto location = location_for(refusal);
    if (!location) return std::nullopt;
    const auto asked = hosts_.asked(context, appended_path(context));
    if (asked && hosts_.contain(asked->origin))
        location->append(location->contains('?') ? "&return=" : "?return=").append(percent_encoded(way_back(*asked)));
    http::Reply reply;
    reply.status = wants_401(context) ? 401 : 302;
    reply.content_type = "text/html; charset=utf-8";
    reply.extra_headers = "Location: " + pages_ + *location + "\r\n";
    return reply;
}

}  // namespace consentry
