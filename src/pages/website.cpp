#include "pages/website.hpp"

#include "http/steps/accept.hpp"
#include "pages/function_handler.hpp"
#include "pages/pages.hpp"

namespace consentry {
namespace {

awaitable<Result<http::Reply>> send_file(const SiteFile& file) {
    http::Reply reply;
    reply.data = file.bytes;
    reply.content_type = file.content_type;
    reply.cache_control = "public, max-age=31536000, immutable";
    reply.etag = file.etag;
    co_return reply;
}

// Programs that ask for JSON get the answer of a service without pages.
awaitable<Result<PageAnswer>> show_home(const Visit& visit) {
    if (http::asks_for_json(visit.context().request)) co_return fail(errors::route_not_found);
    co_return PageAnswer{};
}

}  // namespace

Website::Website(const Parts& parts, WebsiteSettings settings)
    : site_(parts.locales, std::move(settings.site)),
      callers_(parts.sessions, parts.roles, parts.acceptances, settings.guard.cookies),
      guard_(callers_, std::move(settings.guard)),
      repeated_(parts.clock),
      flags_(parts.flags),
      error_pages_(site_, guard_, settings.api_prefix, Navigations(parts.host_cookies.hosts(), settings.url)),
      buttons_(parts.flags, std::move(settings.providers)),
      steps_(guard_.settings().secrets, guard_.settings().cookies),
      login_(parts.login, parts.sessions, parts.locales, buttons_, guard_.settings().cookies, steps_),
      providers_({.login = parts.login, .guard = parts.social_guard, .login_pages = login_, .buttons = buttons_},
                 ProviderTrips(parts.clock, guard_.settings().secrets, guard_.settings().cookies), kit(),
                 std::move(settings.url)),
      set_up_(parts.login, parts.locales, steps_),
      sign_up_(parts.accounts, parts.links, parts.passwords, buttons_),
      recovery_({.links = parts.links,
                 .passwords = parts.passwords,
                 .confirmation = parts.confirmation,
                 .two_factor = parts.two_factor,
                 .sessions = parts.sessions,
                 .users = parts.account.users,
                 .locales = parts.locales},
                guard_.settings().cookies),
      consent_(parts.acceptances, parts.policies, parts.diffs, parts.locales),
      guarded_hosts_(parts.hand_over, parts.host_cookies, parts.guarded_callers, kit()),
      account_(parts.account, guard_.settings().languages, steps_, guard_.settings().cookies) {}

void Website::add_to(http::Router& router) {
    for (std::size_t i = 0; i < site_.files().size(); ++i)
        router.page(http::Method::get, site_.files()[i].path)
            .id("pagesFile" + std::to_string(i))
            .also_at(std::string(guarded_root) + site_.files()[i].path)
            .tag("pages")
            .handled_with(handler_of([&file = site_.files()[i]](http::RequestContext&) { return send_file(file); }));
    Pages pages(router, kit());
    pages.show(
        "/",
        {.id = "home", .file = "home.html", .title = "home.title", .links = {{.name = "no_sign_up", .flag = "signUp"}}},
        [](const Visit& visit) { return show_home(visit); });
    login_.add_to(pages);
    providers_.add_to(pages, router);
    set_up_.add_to(pages);
    sign_up_.add_to(pages);
    recovery_.add_to(pages);
    consent_.add_to(pages);
    guarded_hosts_.add_to(router);
    account_.add_to(pages);
}

}  // namespace consentry
