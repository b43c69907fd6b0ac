// How a page is declared:
//
//     pages.show("/account", {.id = "account", .file = "account.html", .title = "account.title", .names = {"email"}},
//                [&](const VisitOf<SignedIn>& visit) { return show_account(visit); });
//
//     pages.form("/login", {.id = "login", .file = "login.html", .title = "login.title"},
//                [](const Visit& visit) { return show_login(visit); },
//                [&](const Sent<LoginForm>& sent) { return log_in(login, sent); });
//
//     pages.action("/logout", "logout", [&](const Sent<LogoutForm, VisitOf<SignedIn>>& sent) { ... });
//
// Every function returns awaitable<Result<PageAnswer>>. Its parameter states who may come and what may be sent
// (visit.hpp); a function that takes a form without Sent does not compile. If a form cannot be accepted, its page is
// shown again, with what is wrong beside the fields. A refusal of the second function is shown there as well.
//
// A third function of a form adds the violations that only a service can tell, such as a password that is too common,
// to those of its fields, so that the page shows them all. It takes (visit, form, report).
//
// A function must not itself be a coroutine lambda, whose captures could die before it ends. Its parameter lives until
// the answer is complete.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/feature_flags/feature_flags.hpp"
#include "http/envelope.hpp"
#include "http/gate.hpp"
#include "http/router.hpp"
#include "pages/form_fields.hpp"
#include "pages/pages_guard.hpp"
#include "pages/repeated_forms.hpp"
#include "pages/site.hpp"
#include "pages/ways.hpp"

namespace consentry {

// A way that a feature flag can close: while it does, the template gets `name`.
struct Way {
    std::string name;
    std::string flag;
};

struct PageSpec {
    std::string_view id;                  // of its operations, which are idPage and idForm
    std::string_view file;                // of its template
    std::string_view title;               // the message pages.<title>
    std::vector<std::string> names = {};  // the values that its views may hold, besides those of its form
    // The feature flag that its form requires, as of an endpoint. While it is off, the template gets `is_off`.
    std::string_view flag = {};
    std::vector<Way> links = {};                 // to other pages whose forms require a flag
    std::vector<std::string> form_origins = {};  // to which its forms lead, besides our own and the hosts of returns
};

struct ActionSpec {
    std::string_view flag = {};              // as of a form
    std::optional<Address> if_expired = {};  // where a visitor goes whose form has expired, besides their way back
};

// What the handlers of pages share.
class PageKit {
public:
    PageKit(const Site& the_site, PagesGuard& the_guard, RepeatedForms& the_repeated, FeatureFlags& the_flags)
        : site(the_site), guard(the_guard), repeated(the_repeated), flags(the_flags) {}
    const Site& site;
    PagesGuard& guard;
    RepeatedForms& repeated;
    FeatureFlags& flags;

    // Sends a refused visitor to where they can give what is missing. Otherwise the refusal is the answer.
    // `return_to`: where the page leads back to.
    Result<http::Reply> refuse(const http::RequestContext& context, Error refusal, bool has_page = true,
                               const std::optional<Address>& return_to = {}) const;
    // Reads the form of a request from our own pages.
    awaitable<Result<std::vector<http::NamedText>>> read_form(http::RequestContext& context) const;
    // The answer to a form that this browser has sent before, if there was one recently.
    awaitable<RepeatedForms::Earlier> repeat(const http::RequestContext& context,
                                             const std::vector<http::NamedText>& sent) const;
    // The names of those ways whose forms would be refused. `user`: whom the guard has admitted.
    awaitable<View> closed(const std::vector<Way>& ways, std::optional<Uuid> user) const;
    FormFaults faults(const Visit& visit) const { return {site.locales(), visit.language()}; }
    // Whether a form whose function refused is shown again. A session that has just ended is asked for anew.
    static bool is_for_the_form(const Error& refusal) {
        return refusal.kind().http_status < 500 && !refusal.is(errors::jwt_access_token_invalid);
    }
};

namespace detail {

template <class Show>
class PageHandler final : public http::OperationHandler {
public:
    using From = ParameterOf<Show>;
    static_assert(ProofOf<From>::is_visit, "a page takes a Visit or a VisitOf<Proof>");

    PageHandler(PageKit kit, std::shared_ptr<const SitePage> page, Show show, std::vector<Way> ways)
        : kit_(kit), page_(std::move(page)), show_(std::move(show)), ways_(std::move(ways)) {}

    boost::asio::awaitable<Result<http::Reply>> run(http::RequestContext& context) override {
        Result<From> visit = co_await kit_.guard.admit<From>(context);
        if (!visit) co_return kit_.refuse(context, std::move(visit.error()));
        Result<PageAnswer> answer = co_await show_(*visit);
        if (!answer) co_return kit_.refuse(context, std::move(answer.error()));
        if (!answer->redirect) answer->view.with(co_await kit_.closed(ways_, context.caller.user));
        co_return kit_.site.reply(*visit, *page_, std::move(*answer));
    }

private:
    PageKit kit_;
    std::shared_ptr<const SitePage> page_;
    Show show_;
    std::vector<Way> ways_;
};

// The page of an action, which has none.
struct NoPage {};

// The check of forms whose fields know all rules.
struct NoFormCheck {
    template <class From, class Form>
    void operator()(const From&, const Form&, Report&) const {}
};

template <class Show, class Submit, class Check = NoFormCheck>
class FormHandler final : public http::OperationHandler {
public:
    using Parts = SentParts<ParameterOf<Submit>>;
    static_assert(Parts::is_sent, "a function that takes a form takes a Sent<Form>, which proves where it comes from");
    using Form = typename Parts::FormType;
    using From = typename Parts::FromType;
    static constexpr bool has_page = !std::is_same_v<Show, NoPage>;

    FormHandler(PageKit kit, std::shared_ptr<const SitePage> page, std::vector<Way> ways, Show show, Submit submit,
                std::optional<Address> if_expired = {}, Check check = {})
        : kit_(kit),
          page_(std::move(page)),
          ways_(std::move(ways)),
          show_(std::move(show)),
          submit_(std::move(submit)),
          check_(std::move(check)),
          if_expired_(std::move(if_expired)),
          fields_(field_names<Form>()) {}

    boost::asio::awaitable<Result<http::Reply>> run(http::RequestContext& context) override {
        // Before anything of the request counts, and before its body is read.
        if (auto ours = kit_.guard.check_origin(context.request); !ours) co_return fail(std::move(ours.error()));
        Result<From> visit = co_await kit_.guard.admit<From>(context);
        if (!visit) co_return co_await turn_away(context, std::move(visit.error()));
        Result<std::vector<http::NamedText>> typed = co_await kit_.read_form(context);
        if (!typed) co_return fail(std::move(typed.error()));
        std::string key = RepeatedForms::key_of(context.request.path, *typed);
        const PagesGuard::FormState state = kit_.guard.check_token(*visit, *typed);
        FormFaults faults = kit_.faults(*visit);
        faults.keep(*typed, Form::shown_again, fields_);
        if (state == PagesGuard::FormState::no_cookie)
            co_return co_await again(*visit, Error{errors::form_without_cookie}, std::move(faults));
        if (state == PagesGuard::FormState::expired)
            co_return co_await again(*visit, Error{errors::form_expired}, std::move(faults));
        co_return co_await kit_.repeated.once(std::move(key),
                                              [&] { return take(*visit, std::move(*typed), std::move(faults)); });
    }

private:
    // Answers a visitor who lacks what the form demands.
    boost::asio::awaitable<Result<http::Reply>> turn_away(http::RequestContext& context, Error refusal) {
        const Result<std::vector<http::NamedText>> typed = co_await kit_.read_form(context);
        if (!typed) co_return kit_.refuse(context, std::move(refusal), has_page);
        // The first of two clicks may have ended the session, or given it another cookie.
        if (refusal.is(errors::jwt_access_token_invalid))
            if (auto reply = co_await kit_.repeat(context, *typed)) co_return std::move(*reply);
        co_return kit_.refuse(context, std::move(refusal), has_page, kit_.guard.return_among(*typed));
    }

    // Answers a form of ours.
    boost::asio::awaitable<Result<http::Reply>> take(const From& visit, std::vector<http::NamedText> typed,
                                                     FormFaults faults) {
        if constexpr (requires { Form::tidy(typed); }) Form::tidy(typed);
        Form form;
        Report report = read_form_fields(std::move(typed), form);
        check_(visit, form, report);
        if (!report.empty())
            co_return co_await again(visit, Error{errors::validation, report.take()}, std::move(faults));
        const auto sent = kit_.guard.sent<Form, From>(visit, std::move(form));
        Result<PageAnswer> answer = co_await submit_(sent);
        if (!answer) co_return co_await again(visit, std::move(answer.error()), std::move(faults));
        if (answer->redirect)
            co_return kit_.site.redirect(*answer->redirect, std::move(answer->headers), answer->refusal);
        if (answer->file) co_return kit_.site.file(std::move(*answer->file));
        co_return co_await shown(visit, std::move(*answer));
    }

    // Shows the page again, with what was typed and what is wrong.
    boost::asio::awaitable<Result<http::Reply>> again(const From& visit, Error refusal, FormFaults faults) {
        if constexpr (has_page) {
            if (PageKit::is_for_the_form(refusal)) {
                const ErrorKind& kind = refusal.kind();
                faults.add(refusal, fields_);
                co_return co_await shown(visit, {.view = faults.take(),
                                                 .status = kind.http_status,
                                                 .headers = http::retry_after_line(refusal),
                                                 .refusal = &kind});
            }
        }
        if (if_expired_ && refusal.is(errors::form_expired))
            co_return kit_.site.redirect(with_return(*if_expired_, visit), {}, &refusal.kind());
        co_return kit_.refuse(visit.context(), std::move(refusal), has_page, visit.return_to());
    }

    // Shows the form's page with the values of `answer` over its own. What is shown once needs none of them; the page
    // itself may lead elsewhere by now.
    boost::asio::awaitable<Result<http::Reply>> shown(const From& visit, PageAnswer answer) {
        if constexpr (has_page) {
            if (answer.is_once) co_return kit_.site.reply(visit, *page_, std::move(answer));
            Result<PageAnswer> page = co_await show_(visit);
            if (!page) co_return kit_.refuse(visit.context(), std::move(page.error()), true, visit.return_to());
            if (!page->redirect) {
                page->view.with(co_await kit_.closed(ways_, visit.context().caller.user));
                page->view.with(std::move(answer.view));
                if constexpr (requires { Form::options; })
                    for (const FieldOptions& options : Form::options) select_typed(page->view, options);
                page->status = answer.status;
            }
            page->headers += answer.headers;
            page->refusal = answer.refusal;
            co_return kit_.site.reply(visit, *page_, std::move(*page));
        } else {
            throw std::logic_error("an action leads to a page");
        }
    }

    PageKit kit_;
    std::shared_ptr<const SitePage> page_;
    std::vector<Way> ways_;
    Show show_;
    Submit submit_;
    [[no_unique_address]] Check check_;
    std::optional<Address> if_expired_;
    std::vector<std::string> fields_;
};

}  // namespace detail

class Pages {
public:
    // All arguments must outlive the router.
    Pages(http::Router& router, PageKit kit) : router_(router), kit_(kit) {}

    template <class Show>
    void show(std::string_view path, const PageSpec& spec, Show show) {
        add(http::Method::get, path, std::string(spec.id) + "Page")
            .handled_with(
                std::make_unique<detail::PageHandler<Show>>(kit_, page(spec, {}), std::move(show), ways_of(spec)));
    }

    template <class Show, class Submit, class Check = detail::NoFormCheck>
    void form(std::string_view path, const PageSpec& spec, Show show, Submit submit, Check check = {}) {
        using Handler = detail::FormHandler<Show, Submit, Check>;
        static_assert(std::is_same_v<detail::ParameterOf<Show>, typename Handler::From>,
                      "a form is sent by who may see its page");
        const auto the_page = page(spec, field_names<typename Handler::Form>());
        add(http::Method::get, path, std::string(spec.id) + "Page")
            .handled_with(std::make_unique<detail::PageHandler<Show>>(kit_, the_page, show, ways_of(spec)));
        add(http::Method::post, path, std::string(spec.id) + "Form")
            .behind_flag(spec.flag)
            .handled_with(std::make_unique<Handler>(kit_, the_page, ways_of(spec), std::move(show), std::move(submit),
                                                    std::optional<Address>(), std::move(check)));
    }

    // A form without a page of its own: a button of another page.
    template <class Submit>
    void action(std::string_view path, std::string_view id, Submit submit, const ActionSpec& spec = {}) {
        add(http::Method::post, path, std::string(id) + "Form")
            .behind_flag(spec.flag)
            .handled_with(std::make_unique<detail::FormHandler<detail::NoPage, Submit>>(
                kit_, nullptr, std::vector<Way>(), detail::NoPage{}, std::move(submit), spec.if_expired));
    }

private:
    http::Endpoint add(http::Method method, std::string_view path, std::string id);
    static std::vector<Way> ways_of(const PageSpec& spec);
    std::shared_ptr<const SitePage> page(const PageSpec& spec, const std::vector<std::string>& fields) const;

    http::Router& router_;
    PageKit kit_;
};

}  // namespace consentry
