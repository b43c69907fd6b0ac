#include "pages/page_handlers.hpp"

#include <stdexcept>

#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "http/form.hpp"
#include "pages/notes.hpp"

namespace consentry {

Result<http::Reply> PageKit::refuse(const http::RequestContext& context, Error refusal, bool has_page,
                                    const std::optional<Address>& return_to) const {
    if (const auto elsewhere = guard.way_out(context, refusal, has_page, return_to)) return site.redirect(*elsewhere);
    return fail(std::move(refusal));
}

awaitable<Result<std::vector<http::NamedText>>> PageKit::read_form(http::RequestContext& context) const {
    if (context.flag_gate != nullptr && context.flag_gate->concerns(context, *context.operation)) {
        auto passed = co_await context.flag_gate->admit(context, *context.operation);
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

PageHandler::PageHandler(PageKit kit, std::shared_ptr<const SitePage> page, std::vector<Way> ways)
    : kit_(kit), page_(std::move(page)), ways_(std::move(ways)) {}

awaitable<Result<http::Reply>> PageHandler::run(http::RequestContext& context) {
    Result<std::shared_ptr<Visit>> admitted = co_await admit(context);
    if (!admitted) co_return kit_.refuse(context, std::move(admitted.error()));
    const Visit& visit = **admitted;
    Result<PageAnswer> answer = co_await show(visit);
    if (!answer) co_return kit_.refuse(context, std::move(answer.error()));
    if (!answer->redirect) answer->view.with(co_await kit_.closed(ways_, context.caller.user));
    co_return kit_.site.reply(visit, *page_, std::move(*answer));
}

FormHandler::FormHandler(PageKit kit, std::shared_ptr<const SitePage> page, std::vector<Way> ways, FormTraits traits,
                         std::optional<Address> if_expired)
    : kit_(kit),
      page_(std::move(page)),
      ways_(std::move(ways)),
      traits_(std::move(traits)),
      if_expired_(std::move(if_expired)) {}

awaitable<Result<http::Reply>> FormHandler::run(http::RequestContext& context) {
    // Before anything of the request counts, and before its body is read.
    if (auto ours = kit_.guard.check_origin(context.request); !ours) co_return fail(std::move(ours.error()));
    Result<std::shared_ptr<Visit>> admitted = co_await admit(context);
    if (!admitted) co_return co_await turn_away(context, std::move(admitted.error()));
    Visit& visit = **admitted;
    Result<std::vector<http::NamedText>> typed = co_await kit_.read_form(context);
    if (!typed) co_return fail(std::move(typed.error()));
    std::string key = RepeatedForms::key_of(context.request.path, *typed);
    const PagesGuard::FormState state = kit_.guard.check_token(visit, *typed);
    FormFaults faults = kit_.faults(visit);
    faults.keep(*typed, traits_.shown_again, traits_.fields);
    if (state == PagesGuard::FormState::no_cookie)
        co_return co_await again(visit, Error{errors::form_without_cookie}, std::move(faults));
    if (state == PagesGuard::FormState::expired)
        co_return co_await again(visit, Error{errors::form_expired}, std::move(faults));
    co_return co_await kit_.repeated.once(std::move(key),
                                          [&] { return take(visit, std::move(*typed), std::move(faults)); });
}

awaitable<Result<http::Reply>> FormHandler::turn_away(http::RequestContext& context, Error refusal) {
    const Result<std::vector<http::NamedText>> typed = co_await kit_.read_form(context);
    if (!typed) co_return kit_.refuse(context, std::move(refusal), has_page());
    // The first of two clicks may have ended the session, or given it another cookie.
    if (refusal.is(errors::jwt_access_token_invalid))
        if (auto reply = co_await kit_.repeat(context, *typed)) co_return std::move(*reply);
    co_return kit_.refuse(context, std::move(refusal), has_page(), kit_.guard.return_among(*typed));
}

awaitable<Result<http::Reply>> FormHandler::take(const Visit& visit, std::vector<http::NamedText> typed,
                                                 FormFaults faults) {
    Result<PageAnswer> answer = co_await submit(visit, std::move(typed));
    if (!answer) co_return co_await again(visit, std::move(answer.error()), std::move(faults));
    if (answer->redirect) co_return kit_.site.redirect(*answer->redirect, std::move(answer->headers), answer->refusal);
    if (answer->file) co_return kit_.site.file(std::move(*answer->file));
    co_return co_await shown(visit, std::move(*answer));
}

awaitable<Result<http::Reply>> FormHandler::again(const Visit& visit, Error refusal, FormFaults faults) {
    if (has_page() && PageKit::is_for_the_form(refusal)) {
        const ErrorKind& kind = refusal.kind();
        faults.add(refusal, traits_.fields);
        co_return co_await shown(visit, {.view = faults.take(),
                                         .status = kind.http_status,
                                         .headers = http::retry_after_line(refusal),
                                         .refusal = &kind});
    }
    if (if_expired_ && refusal.is(errors::form_expired))
        co_return kit_.site.redirect(with_return(*if_expired_, visit), tell(PageNote::expired, visit), &refusal.kind());
    co_return kit_.refuse(visit.context(), std::move(refusal), has_page(), visit.return_to());
}

awaitable<Result<http::Reply>> FormHandler::shown(const Visit& visit, PageAnswer answer) {
    if (!has_page()) throw std::logic_error("an action leads to a page");
    if (answer.is_once) co_return kit_.site.reply(visit, *page_, std::move(answer));
    Result<PageAnswer> page = co_await show(visit);
    if (!page) co_return kit_.refuse(visit.context(), std::move(page.error()), true, visit.return_to());
    if (page->redirect) {
        // Such as that of a login, after one in another tab.
        if (answer.refusal == &errors::form_expired) page->headers += tell(PageNote::expired, visit);
    } else {
        page->view.with(co_await kit_.closed(ways_, visit.context().caller.user));
        page->view.with(std::move(answer.view));
        for (const FieldOptions& options : traits_.options) select_typed(page->view, options);
        page->status = answer.status;
    }
    page->headers += answer.headers;
    page->refusal = answer.refusal;
    co_return kit_.site.reply(visit, *page_, std::move(*page));
}

}  // namespace consentry
