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
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "http/router.hpp"
#include "pages/form_fields.hpp"
#include "pages/page_handlers.hpp"

namespace consentry {

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

namespace detail {

// What a function takes as its visit.
template <class From>
const From& visit_as(const Visit& visit) {
    return static_cast<const From&>(visit);  // admit() below made it
}

template <class Show>
class PageOf final : public PageHandler {
public:
    using From = ParameterOf<Show>;
    static_assert(ProofOf<From>::is_visit, "a page takes a Visit or a VisitOf<Proof>");

    PageOf(PageKit kit, std::shared_ptr<const SitePage> page, std::vector<Way> ways, Show show)
        : PageHandler(kit, std::move(page), std::move(ways)), show_(std::move(show)) {}

private:
    awaitable<Result<std::shared_ptr<Visit>>> admit(http::RequestContext& context) override {
        return kit().guard.template admit<From>(context);
    }
    awaitable<Result<PageAnswer>> show(const Visit& visit) override { return show_(visit_as<From>(visit)); }

    Show show_;
};

// The page of an action, which has none.
struct NoPage {};

// The check of forms whose fields know all rules.
struct NoFormCheck {
    template <class From, class Form>
    void operator()(const From&, const Form&, Report&) const {}
};

template <class Form>
FormTraits form_traits() {
    FormTraits out{.shown_again = Form::shown_again, .fields = field_names<Form>(), .options = {}};
    if constexpr (requires { Form::options; }) out.options = Form::options;
    return out;
}

// Only submit() is a coroutine: each takes long to compile, and there are many forms.
template <class Show, class Submit, class Check = NoFormCheck>
class FormOf final : public FormHandler {
public:
    using Parts = SentParts<ParameterOf<Submit>>;
    static_assert(Parts::is_sent, "a function that takes a form takes a Sent<Form>, which proves where it comes from");
    using Form = typename Parts::FormType;
    using From = typename Parts::FromType;

    // `page` is null for an action.
    FormOf(PageKit kit, std::shared_ptr<const SitePage> page, std::vector<Way> ways, Show show, Submit submit,
           std::optional<Address> if_expired = {}, Check check = {})
        : FormHandler(kit, std::move(page), std::move(ways), form_traits<Form>(), std::move(if_expired)),
          show_(std::move(show)),
          submit_(std::move(submit)),
          check_(std::move(check)) {}

private:
    awaitable<Result<std::shared_ptr<Visit>>> admit(http::RequestContext& context) override {
        return kit().guard.template admit<From>(context);
    }
    awaitable<Result<PageAnswer>> show(const Visit& visit) override {
        if constexpr (std::is_same_v<Show, NoPage>)
            throw std::logic_error("an action leads to a page");
        else
            return show_(visit_as<From>(visit));
    }
    awaitable<Result<PageAnswer>> submit(const Visit& visit, std::vector<http::NamedText> typed) override {
        if constexpr (requires { Form::tidy(typed); }) Form::tidy(typed);
        Form form;
        Report report = read_form_fields(std::move(typed), form);
        check_(visit_as<From>(visit), form, report);
        if (!report.empty()) co_return fail(Error{errors::validation, report.take()});
        const auto sent = kit().guard.template sent<Form, From>(visit_as<From>(visit), std::move(form));
        co_return co_await submit_(sent);
    }

    Show show_;
    Submit submit_;
    [[no_unique_address]] Check check_;
};

}  // namespace detail

class Pages {
public:
    // All arguments must outlive the router.
    Pages(http::Router& router, PageKit kit) : router_(router), kit_(kit) {}

    template <class Show>
    void show(std::string_view path, const PageSpec& spec, Show show) {
        add(http::Method::get, path, std::string(spec.id) + "Page")
            .handled_with(std::make_unique<detail::PageOf<Show>>(kit_, page(spec, {}), ways_of(spec), std::move(show)));
    }

    template <class Show, class Submit, class Check = detail::NoFormCheck>
    void form(std::string_view path, const PageSpec& spec, Show show, Submit submit, Check check = {}) {
        using Handler = detail::FormOf<Show, Submit, Check>;
        static_assert(std::is_same_v<detail::ParameterOf<Show>, typename Handler::From>,
                      "a form is sent by who may see its page");
        const auto the_page = page(spec, field_names<typename Handler::Form>());
        add(http::Method::get, path, std::string(spec.id) + "Page")
            .handled_with(std::make_unique<detail::PageOf<Show>>(kit_, the_page, ways_of(spec), show));
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
            .handled_with(std::make_unique<detail::FormOf<detail::NoPage, Submit>>(
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
