#include "pages/two_factor_pages.hpp"

#include <utility>

#include "base/shown_time.hpp"
#include "features/activity/audit.hpp"
#include "markup/qr_code.hpp"
#include "pages/account_words.hpp"
#include "pages/notes.hpp"
#include "pages/set_up_pages.hpp"

namespace consentry {
namespace {

// Long enough to install an authenticator app.
constexpr std::chrono::minutes secret_kept{30};

// The only time that the codes are shown. Owner and time are for the paper on which they are printed.
View view_of_codes(const std::vector<std::string>& codes, const SignedIn& owner, TimePoint now) {
    return std::move(backup_codes_view(codes).text("owner", owner.email()).text("made", shown_time(now)));
}

// Whether the page may show the secret that the browser keeps: it is the pending one.
bool shows(const TwoFactorRecord& factor, const LoginStep& step) {
    return factor.pending() && step.setup && factor.iv == step.setup->iv;
}

std::vector<std::string> with_code_names(std::vector<std::string> names) {
    names.insert(names.end(), {"owner", "made"});
    names.insert(names.end(), backup_codes_names.begin(), backup_codes_names.end());
    return names;
}

}  // namespace

void TwoFactorPages::add_to(Pages& pages) {
    pages.show("/account/two-factor",
               {.id = "accountTwoFactor",
                .file = "account_two_factor.html",
                .title = "twoFactor.title",
                .names = {"is_on", "left", "since", "since_iso", "used", "used_iso"}},
               [this](const VisitOf<SignedIn>& visit) { return show(visit); });
    pages.form(
        "/account/two-factor/start",
        {.id = "accountTwoFactorStart", .file = "account_two_factor_start.html", .title = "twoFactor.start"},
        [this](const Fresh& visit) { return show_start(visit); },
        [this](const Sent<NothingForm, Fresh>& sent) { return start(sent); });
    pages.form(
        "/account/two-factor/confirm",
        {.id = "accountTwoFactorConfirm",
         .file = "account_two_factor_confirm.html",
         .title = "twoFactor.start",
         .names = with_code_names({"qr", "otpauth", "secret"})},
        [this](const VisitOf<SignedIn>& visit) { return show_confirm(visit); },
        [this](const Sent<SetUpForm, VisitOf<SignedIn>>& sent) { return confirm(sent); });
    pages.form(
        "/account/two-factor/codes",
        {.id = "accountBackupCodes",
         .file = "account_backup_codes.html",
         .title = "backupCodes.title",
         .names = with_code_names({})},
        [this](const Fresh& visit) { return show_codes(visit); },
        [this](const Sent<NothingForm, Fresh>& sent) { return make_codes(sent); });
    pages.form(
        "/account/two-factor/off",
        {.id = "accountTwoFactorOff", .file = "account_two_factor_off.html", .title = "twoFactor.off"},
        [this](const VisitOf<SignedIn>& visit) { return show_off(visit); },
        [this](const Sent<VerifyForm, VisitOf<SignedIn>>& sent) { return turn_off(sent); });
}

awaitable<Result<PageAnswer>> TwoFactorPages::show(const VisitOf<SignedIn>& visit) const {
    const auto factor = co_await parts_.two_factor.state(visit.caller().user());
    View view;
    view.flag("is_on", factor.active()).text("left", std::to_string(factor.backup_codes));
    if (factor.confirmed_at)
        view.text("since", shown_time(*factor.confirmed_at)).text("since_iso", to_iso8601(*factor.confirmed_at));
    if (factor.last_used_at)
        view.text("used", shown_time(*factor.last_used_at)).text("used_iso", to_iso8601(*factor.last_used_at));
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> TwoFactorPages::show_start(const Fresh& visit) const {
    const auto factor = co_await parts_.two_factor.state(visit.caller().user());
    if (factor.active()) co_return PageAnswer::to(Address("/account/two-factor"));
    co_return PageAnswer{};
}

awaitable<Result<PageAnswer>> TwoFactorPages::start(const Sent<NothingForm, Fresh>& sent) {
    const auto& caller = sent.visit().caller();
    auto made = co_await parts_.two_factor.set_up(caller.actor(), caller.user(), caller.email(),
                                                  cause_of(sent.visit().context()));
    if (!made && made.error().is(errors::two_factor_already_enabled))
        co_return PageAnswer::to(Address("/account/two-factor"));
    if (!made) co_return fail(std::move(made.error()));
    co_return PageAnswer::to(
        Address("/account/two-factor/confirm"),
        steps_.keep({.challenge = {}, .setup = std::move(*made)}, sent.visit(), std::chrono::seconds(secret_kept)));
}

awaitable<Result<PageAnswer>> TwoFactorPages::show_confirm(const VisitOf<SignedIn>& visit) const {
    const auto step = steps_.find(visit);
    if (!step || !step->setup) co_return PageAnswer::to(Address("/account/two-factor"));
    // The cookie outlives a first code whose answer was lost, and is in other tabs: a secret in use is never shown
    // (TFA-12), nor one that another browser has replaced.
    const auto factor = co_await parts_.two_factor.state(visit.caller().user());
    if (!shows(factor, *step))
        co_return PageAnswer::to(Address("/account/two-factor"), cookies_.clear(PageCookie::step));
    View view;
    view.text("secret", in_groups(step->setup->secret, 4)).text("otpauth", step->setup->otpauth_url);
    const auto label = parts_.locales.text(visit.language(), "pages.setUp.qr");
    if (auto code = markup::qr_svg(step->setup->otpauth_url, label)) view.html("qr", std::move(*code));
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> TwoFactorPages::confirm(const Sent<SetUpForm, VisitOf<SignedIn>>& sent) {
    const auto& visit = sent.visit();
    const auto& caller = visit.caller();
    auto user = co_await parts_.users.find(caller.user());
    if (!user) co_return fail(errors::jwt_access_token_invalid);
    // A code of a replaced secret is not a guess.
    const auto step = steps_.find(visit);
    const auto factor = co_await parts_.two_factor.state(caller.user());
    if (step && step->setup && !shows(factor, *step))
        co_return PageAnswer::to(Address("/account/two-factor"), cookies_.clear(PageCookie::step));
    auto codes = co_await parts_.two_factor.enable(caller.actor(), std::move(*user), caller.session(), sent.form().code,
                                                   cause_of(visit.context()));
    if (!codes && codes.error().is(errors::two_factor_already_enabled))
        co_return PageAnswer::to(Address("/account/two-factor"), cookies_.clear(PageCookie::step));
    if (!codes) co_return fail(std::move(codes.error()));
    PageAnswer answer = PageAnswer::of_once(view_of_codes(*codes, caller, visit.context().now));
    answer.headers = cookies_.clear(PageCookie::step);
    co_return answer;
}

awaitable<Result<PageAnswer>> TwoFactorPages::show_codes(const Fresh& visit) const {
    const auto factor = co_await parts_.two_factor.state(visit.caller().user());
    if (!factor.active()) co_return PageAnswer::to(Address("/account/two-factor"));
    co_return PageAnswer{};
}

awaitable<Result<PageAnswer>> TwoFactorPages::make_codes(const Sent<NothingForm, Fresh>& sent) {
    const auto& caller = sent.visit().caller();
    const auto& context = sent.visit().context();
    auto codes = co_await parts_.two_factor.regenerate(caller.actor(), caller.user(), cause_of(context));
    if (!codes) co_return fail(std::move(codes.error()));
    co_return PageAnswer::of_once(view_of_codes(*codes, caller, context.now));
}

awaitable<Result<PageAnswer>> TwoFactorPages::show_off(const VisitOf<SignedIn>& visit) const {
    const auto factor = co_await parts_.two_factor.state(visit.caller().user());
    if (!factor.active()) co_return PageAnswer::to(Address("/account/two-factor"));
    co_return PageAnswer{};
}

awaitable<Result<PageAnswer>> TwoFactorPages::turn_off(const Sent<VerifyForm, VisitOf<SignedIn>>& sent) {
    const auto& caller = sent.visit().caller();
    auto user = co_await parts_.users.find(caller.user());
    if (!user) co_return fail(errors::jwt_access_token_invalid);
    auto off = co_await parts_.two_factor.disable(caller.actor(), std::move(*user), caller.session(),
                                                  proof_of(sent.form()), cause_of(sent.visit().context()));
    if (!off && !off.error().is(errors::two_factor_not_enabled)) co_return fail(std::move(off.error()));
    co_return PageAnswer::to(Address("/account/two-factor"), tell(PageNote::two_factor_off, sent.visit()));
}

}  // namespace consentry
