#include "pages/recovery_pages.hpp"

#include "base/errors.hpp"
#include "features/activity/audit.hpp"
#include "pages/ways.hpp"

namespace consentry {
namespace {

awaitable<Result<PageAnswer>> show_reset(const Visit& visit) {
    co_return PageAnswer::of(std::move(password_hint().text("token", visit.path("token"))));
}

std::vector<std::string> and_names(std::vector<std::string> names, std::initializer_list<std::string> more) {
    names.insert(names.end(), more);
    return names;
}

}  // namespace

void RecoveryPages::add_to(Pages& pages) {
    constexpr std::string_view flag = "changePassword.forgotAllowed";
    pages.form(
        "/forgot-password",
        {.id = "forgotPassword",
         .file = "forgot_password.html",
         .title = "forgotPassword.title",
         .names = {"reason"},
         .flag = flag},
        [this](const Visit& visit) { return show_forgot(visit); },
        [this](const Sent<AddressForm>& sent) { return send_link(sent); });
    pages.form(
        "/forgot-password/:token",
        {.id = "resetPassword",
         .file = "reset_password.html",
         .title = "resetPassword.title",
         .names = and_names(password_hint_names, {"token"}),
         .flag = flag},
        [](const Visit& visit) { return show_reset(visit); },
        [this](const Sent<ResetPasswordForm>& sent) { return reset(sent); },
        [this](const Visit&, const ResetPasswordForm& form, Report& report) {
            parts_.passwords.check_choice(form.new_password, {}, "newPassword", report);
        });
    pages.form(
        "/change-password",
        {.id = "changePassword",
         .file = "change_password.html",
         .title = "changePassword.title",
         .names = and_names(password_hint_names, {"account", "needs_factor", "has_password", "reason"}),
         .flag = "changePassword",
         .links = {{.name = "no_recovery", .flag = std::string(flag)}}},
        [this](const VisitOf<SignedInProvisionally>& visit) { return show_change(visit); },
        [this](const Sent<ChangePasswordForm, VisitOf<SignedInProvisionally>>& sent) { return change(sent); },
        [this](const VisitOf<SignedInProvisionally>& visit, const ChangePasswordForm& form, Report& report) {
            parts_.passwords.check_choice(form.new_password, visit.caller().email(), "newPassword", report);
        });
    pages.form(
        "/login/confirm",
        {.id = "confirm",
         .file = "login_confirm.html",
         .title = "confirm.title",
         .names = {"account", "needs_factor", "has_password"}},
        [this](const VisitOf<SignedIn>& visit) { return show_confirm(visit); },
        [this](const Sent<ConfirmForm, VisitOf<SignedIn>>& sent) { return confirm(sent); });
}

awaitable<Result<PageAnswer>> RecoveryPages::show_forgot(const Visit& visit) const {
    View view;
    // Every other page leads here.
    if (visit.has_expired_password())
        view.text("reason", parts_.locales.text(visit.language(), errors::password_expired.message_key));
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> RecoveryPages::send_link(const Sent<AddressForm>& sent) {
    co_await parts_.links.request(TokenPurpose::forgot_password, sent.form().email, cause_of(sent.visit().context()));
    co_return on_with_note(LoginNote::link_sent, PageNote::link_sent, sent.visit(), keep_way_back(sent.visit()));
}

awaitable<Result<PageAnswer>> RecoveryPages::reset(const Sent<ResetPasswordForm>& sent) {
    PasswordReset wanted{sent.visit().path("token"), sent.form().new_password, proof_of(sent.form())};
    auto done = co_await parts_.passwords.reset(std::move(wanted), cause_of(sent.visit().context()));
    if (!done) co_return fail(std::move(done.error()));
    co_return on_with_note(LoginNote::password_set, PageNote::password_set, sent.visit(),
                           forget_way_back(sent.visit()));
}

awaitable<Result<PageAnswer>> RecoveryPages::show_change(const VisitOf<SignedInProvisionally>& visit) const {
    const auto user = co_await parts_.users.find(visit.caller().user());
    if (!user) co_return fail(errors::jwt_access_token_invalid);
    const auto factor = co_await parts_.two_factor.state(user->id);
    View view = password_hint();
    view.text("account", user->email)
        .flag("needs_factor", factor.enabled)
        .flag("has_password", user->password_hash.has_value());
    if (user->must_change_password)
        view.text("reason", parts_.locales.text(visit.language(), password_temporary_message));
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> RecoveryPages::change(
    const Sent<ChangePasswordForm, VisitOf<SignedInProvisionally>>& sent) {
    const auto& visit = sent.visit();
    const ChangePasswordForm& form = sent.form();
    auto changed = co_await parts_.passwords.change(
        visit.caller().actor(), visit.caller().user(),
        {.old_password = form.old_password, .new_password = form.new_password, .proof = proof_of(form)},
        cause_of(visit.context()));
    if (!changed) co_return fail(std::move(changed.error()));
    // The new password ends all sessions, this one too.
    co_return PageAnswer::to(login_with_note(LoginNote::password_set, visit), cookies_.clear(PageCookie::session));
}

awaitable<Result<PageAnswer>> RecoveryPages::show_confirm(const VisitOf<SignedIn>& visit) const {
    const auto user = co_await parts_.users.find(visit.caller().user());
    if (!user) co_return fail(errors::jwt_access_token_invalid);
    const auto factor = co_await parts_.two_factor.state(user->id);
    co_return PageAnswer::of(std::move(View()
                                           .text("account", user->email)
                                           .flag("needs_factor", factor.enabled)
                                           .flag("has_password", user->password_hash.has_value())));
}

awaitable<Result<PageAnswer>> RecoveryPages::confirm(const Sent<ConfirmForm, VisitOf<SignedIn>>& sent) {
    const auto& visit = sent.visit();
    auto proven = co_await parts_.confirmation.prove(
        visit.caller(), {.password = sent.form().password, .factor = proof_of(sent.form())}, cause_of(visit.context()));
    if (!proven) co_return fail(std::move(proven.error()));
    // The session may do more from now on, so it gets a new identity.
    auto renewal = parts_.sessions.prepare_renewal(visit.browser());
    if (!renewal) co_return fail(std::move(renewal.error()));
    auto confirmed = co_await parts_.confirmation.confirm(std::move(*proven), std::move(renewal->rotation));
    if (!confirmed) co_return fail(std::move(confirmed.error()));
    co_return PageAnswer::to(goal_of(visit),
                             cookies_.set(PageCookie::session, renewal->cookie, parts_.sessions.cookie_lifetime()));
}

}  // namespace consentry
