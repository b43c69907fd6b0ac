#include "pages/login_pages.hpp"

#include "base/errors.hpp"
#include "features/activity/audit.hpp"
#include "pages/ways.hpp"

namespace consentry {

void LoginPages::add_to(Pages& pages) {
    std::vector<std::string> names = ProviderButtons::names;
    names.insert(names.end(), {"note", "refusal"});
    pages.form(
        "/login",
        {.id = "login",
         .file = "login.html",
         .title = "login.title",
         .names = std::move(names),
         .flag = "loginWithCredential",
         .links = {{.name = "no_recovery", .flag = "changePassword.forgotAllowed"},
                   {.name = "no_sign_up", .flag = "signUp"}},
         .form_origins = buttons_.origins()},
        [this](const Visit& visit) { return show_login(visit); },
        [this](const Sent<LoginForm>& sent) { return log_in(sent); });
    pages.form(
        "/login/verify", {.id = "verify", .file = "login_verify.html", .title = "verify.title"},
        [this](const Visit& visit) { return show_verify(visit); },
        [this](const Sent<VerifyForm>& sent) { return verify(sent); });
    pages.action("/logout", "logout",
                 [this](const Sent<LogoutForm, VisitOf<SessionHolder>>& sent) { return log_out(sent); },
                 {.if_expired = Address("/account")});
}

awaitable<Result<PageAnswer>> LoginPages::show_login(const Visit& visit) const {
    if (visit.is_signed_in()) co_return PageAnswer::to(goal_of(visit));
    View view = co_await buttons_.to_log_in();
    co_return PageAnswer::of(std::move(view.with(notes_of(visit, locales_))));
}

awaitable<Result<PageAnswer>> LoginPages::log_in(const Sent<LoginForm>& sent) {
    const Visit& visit = sent.visit();
    auto answer = co_await login_.with_credential(sent.form().email, sent.form().password,
                                                  origin_of(visit, LoginWith::credential), cause_of(visit.context()));
    if (!answer) co_return fail(std::move(answer.error()));
    co_return after(*answer, visit);
}

PageAnswer LoginPages::after(const LoginAnswer& answer, const Visit& visit) const {
    if (!answer.grant) {
        Address next = answer.setup ? Address("/login/set-up") : Address("/login/verify");
        return PageAnswer::to(with_return(std::move(next), visit),
                              steps_.keep({.challenge = answer.challenge, .setup = answer.setup}, visit));
    }
    // The browser gets a new identity with its new rights; what identified it before opens nothing from now on.
    std::string headers = cookies_.set(PageCookie::session, answer.grant->cookie, sessions_.cookie_lifetime());
    headers += cookies_.clear(PageCookie::visitor) + cookies_.clear(PageCookie::step);
    return PageAnswer::to(
        answer.must_change_password ? with_return(Address("/change-password"), visit) : goal_of(visit),
        std::move(headers));
}

awaitable<Result<PageAnswer>> LoginPages::show_verify(const Visit& visit) const {
    if (visit.is_signed_in()) co_return PageAnswer::to(goal_of(visit));
    if (!steps_.find(visit)) co_return PageAnswer::to(with_return(Address("/login"), visit));
    co_return PageAnswer{};
}

awaitable<Result<PageAnswer>> LoginPages::verify(const Sent<VerifyForm>& sent) {
    const Visit& visit = sent.visit();
    auto step = steps_.find(visit);
    const auto start_again = [&] {
        return PageAnswer::refused(errors::two_factor_challenge_invalid, login_with_note(LoginNote::over, visit),
                                   cookies_.clear(PageCookie::step));
    };
    if (!step) co_return start_again();
    auto answer = co_await login_.verify(std::move(step->challenge), proof_of(sent.form()),
                                         origin_of(visit, LoginWith::credential), cause_of(visit.context()));
    if (!answer && answer.error().is(errors::two_factor_challenge_invalid)) co_return start_again();
    if (!answer) co_return fail(std::move(answer.error()));
    co_return after(*answer, visit);
}

awaitable<Result<PageAnswer>> LoginPages::log_out(const Sent<LogoutForm, VisitOf<SessionHolder>>& sent) {
    const auto& caller = sent.visit().caller();
    co_await sessions_.log_out(caller.user(), caller.session(), cause_of(sent.visit().context()));
    co_return PageAnswer::to(Address("/"), cookies_.clear(PageCookie::session) + cookies_.clear(PageCookie::step));
}

}  // namespace consentry
