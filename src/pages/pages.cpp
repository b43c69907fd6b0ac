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

awaitable<bool> PageKit::is_off(std::string_view flag, std::optional<Uuid> user) const {
    // In an outage, the form says so itself.
    const auto allowed = co_await best_effort([&] { return flags.allows(std::string(flag), user); });
    co_return allowed && !*allowed;
}

http::Endpoint Pages::add(http::Method method, std::string_view path, std::string id) {
    http::Endpoint endpoint = router_.page(method, path);
    endpoint.id(id).tag("pages").guard_may_refuse({&errors::cross_site_form, &errors::role_forbidden});
    return endpoint;
}

std::shared_ptr<const SitePage> Pages::page(const PageSpec& spec, const std::vector<std::string>& fields) const {
    std::vector<std::string> names = spec.names;
    if (!spec.flag.empty()) names.emplace_back("is_off");
    for (std::string& name : form_value_names(fields)) names.push_back(std::move(name));
    return std::make_shared<const SitePage>(kit_.site.page(spec.file, spec.title, std::move(names), spec.form_origins));
}

}  // namespace consentry
