#include "pages/error_pages.hpp"

#include <array>
#include <utility>

#include "base/errors.hpp"
#include "http/steps/accept.hpp"

namespace consentry {
namespace {

// The heading says what a person can do; the sentence below it is the error's own.
std::string_view heading_of(const Error& error) {
    if (error.is(errors::hand_over_invalid)) return "pages.error.refused";     // the user lacks no right
    if (error.is(errors::feature_flag_unavailable)) return "pages.error.off";  // nothing is broken
    constexpr std::array<std::pair<unsigned, std::string_view>, 6> headings{{{404, "pages.error.notFound"},
                                                                             {403, "pages.error.forbidden"},
                                                                             {413, "pages.error.tooLarge"},
                                                                             {429, "pages.error.tooMany"},
                                                                             {408, "pages.error.unavailable"},
                                                                             {503, "pages.error.unavailable"}}};
    for (const auto& [known, key] : headings)
        if (known == error.kind().http_status) return key;
    return error.kind().http_status < 500 ? "pages.error.refused" : "pages.error.failed";
}

}  // namespace

SiteErrorPages::SiteErrorPages(const Site& site, const PagesGuard& guard, std::string api_prefix,
                               Navigations navigations)
    : site_(site),
      guard_(guard),
      api_prefix_(std::move(api_prefix)),
      navigations_(std::move(navigations)),
      page_(site.page("error.html", "error.title", {"heading", "sentence", "status", "request"})) {}

bool SiteErrorPages::concerns(const http::RequestContext& context) const {
    if (http::asks_for_json(context.request)) return false;
    if (navigations_.contain(context)) return true;
    if (context.operation != nullptr) return context.operation->is_page;
    // Without a prefix, the API's paths look like any others.
    const bool is_api =
        !api_prefix_.empty() && (std::string(context.request.path) + "/").starts_with(api_prefix_ + "/");
    return !is_api && http::names_html(context.request);
}

http::Reply SiteErrorPages::page_of(http::RequestContext& context, const Error& error) const {
    context.language = guard_.language_of(context);
    if (navigations_.contain(context))
        if (auto reply = navigations_.way_in(context, error)) return std::move(*reply);
    const Locales& locales = site_.locales();
    const unsigned status = error.kind().http_status;
    View view;
    view.text("heading", locales.text(context.language, heading_of(error)))
        .text("sentence", locales.text(context.language, error.message_key(), error.data()))
        .text("status", std::to_string(status))
        .text("request", context.request_id);
    if (Navigations::are_at_guarded_host(context))
        return site_.foreign(context, page_, std::move(view), status, navigations_.pages());
    http::Reply reply = site_.plain(context, page_, std::move(view), status);
    reply.extra_headers += guard_.language_cookie(context);
    return reply;
}

}  // namespace consentry
