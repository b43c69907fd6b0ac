#include "pages/pages.hpp"

#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "http/form.hpp"

namespace consentry {

Result<http::Reply> PageKit::refuse(const http::RequestContext& context, Error refusal, bool has_page,
                                    const std::optional<Address>& return_to) const {
    if (const auto elsewhere = guard.way_out(context, refusal, has_page, return_to)) return site.redirect(*elsewhere);
    return fail(std::move(refusal));
}

awaitable<Result<std::vector<http::NamedText>>> PageKit::read_form(http::RequestContext& context) const {
    if (context.after_guard != nullptr && context.after_guard->concerns(context, *context.operation)) {
        auto passed = co_await context.after_guard->admit(context, *context.operation);
        if (!passed) co_return fail(std::move(passed.error()));
    }
    if (context.request.unread != nullptr) {
        auto come = co_await context.request.unread->read(context.client);
        if (!come) co_return fail(std::move(come.error()));
    }
    co_return http::parse_form(context.request);
}

awaitable<RepeatedForms::Earlier> PageKit::repeat(const http::RequestContext& context,
                                                  const std::vector<http::NamedText>& sent) const {
    if (!guard.is_of_this_browser(context.request, sent)) co_return std::nullopt;
    co_return co_await repeated.find(RepeatedForms::key_of(context.request.path, sent));
}

awaitable<View> PageKit::closed(const std::vector<Way>& ways, std::optional<Uuid> user) const {
    View out;
    for (const Way& way : ways) {
        // In an outage, the form says so itself.
        const auto allowed = co_await best_effort([&] { return flags.allows(way.flag, user); });
        out.flag(way.name, allowed && !*allowed);
    }
    co_return out;
}

http::Endpoint Pages::add(http::Method method, std::string_view path, std::string id) {
    http::Endpoint endpoint = router_.page(method, path);
    endpoint.id(id).tag("pages").guard_may_refuse({&errors::cross_site_form, &errors::role_forbidden});
    return endpoint;
}

std::vector<Way> Pages::ways_of(const PageSpec& spec) {
    std::vector<Way> out = spec.links;
    if (!spec.flag.empty()) out.push_back({.name = "is_off", .flag = std::string(spec.flag)});
    return out;
}

std::shared_ptr<const SitePage> Pages::page(const PageSpec& spec, const std::vector<std::string>& fields) const {
    std::vector<std::string> names = spec.names;
    for (Way& way : ways_of(spec)) names.push_back(std::move(way.name));
    for (std::string& name : form_value_names(fields)) names.push_back(std::move(name));
    return std::make_shared<const SitePage>(kit_.site.page(spec.file, spec.title, std::move(names), spec.form_origins));
}

}  // namespace consentry
