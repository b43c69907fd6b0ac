#include "pages/sign_up_pages.hpp"

#include "features/activity/audit.hpp"
#include "features/passwords/form.hpp"
#include "pages/ways.hpp"

namespace consentry {
namespace {

awaitable<Result<PageAnswer>> show_empty(const Visit&) { co_return PageAnswer{}; }

// Only shows a button: programs that look at the links of mails open them too.
awaitable<Result<PageAnswer>> show_verify(const Visit& visit) {
    co_return PageAnswer::of(std::move(View().text("token", visit.path("token"))));
}

}  // namespace

void SignUpPages::add_to(Pages& pages) {
    std::vector<std::string> names = ProviderButtons::names;
    names.insert(names.end(), password_hint_names.begin(), password_hint_names.end());
    pages.form(
        "/sign-up",
        {.id = "signUp",
         .file = "sign_up.html",
         .title = "signUp.title",
         .names = std::move(names),
         .flag = "signUp",
         .form_origins = buttons_.origins()},
        [this](const Visit& visit) { return show_sign_up(visit); },
        [this](const Sent<SignUpForm>& sent) { return sign_up(sent); },
        [this](const Visit&, const SignUpForm& form, Report& report) {
            passwords_.check_choice(form.password, form.email, "password", report);
        });
    pages.form(
        "/verify-email", {.id = "sendVerification", .file = "verify_email_again.html", .title = "verifyEmail.again"},
        [](const Visit& visit) { return show_empty(visit); },
        [this](const Sent<AddressForm>& sent) { return send_link(sent); });
    pages.form(
        "/verify-email/:token",
        {.id = "verifyEmail", .file = "verify_email.html", .title = "verifyEmail.title", .names = {"token"}},
        [](const Visit& visit) { return show_verify(visit); },
        [this](const Sent<NothingForm>& sent) { return verify(sent); });
}

awaitable<Result<PageAnswer>> SignUpPages::show_sign_up(const Visit& visit) const {
    if (visit.is_signed_in()) co_return PageAnswer::to(goal_of(visit));
    View view = co_await buttons_.to_sign_up();
    co_return PageAnswer::of(std::move(view.with(password_hint())));
}

awaitable<Result<PageAnswer>> SignUpPages::sign_up(const Sent<SignUpForm>& sent) {
    const SignUpForm& form = sent.form();
    NewAccount account{.email = form.email,
                       .password = form.password,
                       .name = form.name,
                       .from = SignUpFrom::website,
                       .language = sent.visit().language(),
                       .accepted = {}};
    auto made = co_await accounts_.sign_up(std::move(account), cause_of(sent.visit().context()));
    if (!made) co_return fail(std::move(made.error()));
    co_return PageAnswer::to(login_with_note(LoginNote::signed_up, sent.visit()), keep_way_back(sent.visit()));
}

awaitable<Result<PageAnswer>> SignUpPages::send_link(const Sent<AddressForm>& sent) {
    co_await links_.request(TokenPurpose::verify_email, sent.form().email, cause_of(sent.visit().context()));
    co_return on_with_note(LoginNote::link_sent, PageNote::link_sent, sent.visit(), keep_way_back(sent.visit()));
}

awaitable<Result<PageAnswer>> SignUpPages::verify(const Sent<NothingForm>& sent) {
    auto verified = co_await accounts_.verify(sent.visit().path("token"), cause_of(sent.visit().context()));
    if (!verified) co_return fail(std::move(verified.error()));
    co_return on_with_note(LoginNote::verified, PageNote::verified, sent.visit(), forget_way_back(sent.visit()));
}

}  // namespace consentry
