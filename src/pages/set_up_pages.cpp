#include "pages/set_up_pages.hpp"

#include "base/errors.hpp"
#include "base/shown_time.hpp"
#include "features/activity/audit.hpp"
#include "markup/qr_code.hpp"
#include "pages/account_words.hpp"
#include "pages/ways.hpp"

namespace consentry {
namespace {

std::optional<Bytes> iv_of(const LoginStep& step) { return step.setup ? std::optional(step.setup->iv) : std::nullopt; }

}  // namespace

View backup_codes_view(const std::vector<std::string>& codes) {
    std::vector<View> list;
    list.reserve(codes.size());
    for (const std::string& code : codes) list.push_back(View().text("one", code));
    return std::move(View().flag("has_codes", !codes.empty()).list("codes", std::move(list)));
}

void SetUpPages::add_to(Pages& pages) {
    std::vector<std::string> names{"qr", "otpauth", "secret", "made"};
    names.insert(names.end(), backup_codes_names.begin(), backup_codes_names.end());
    pages.form(
        "/login/set-up",
        {.id = "setUp", .file = "login_set_up.html", .title = "setUp.title", .names = std::move(names)},
        [this](const Visit& visit) { return show(visit); },
        [this](const Sent<SetUpForm>& sent) { return enable(sent); });
}

awaitable<Result<PageAnswer>> SetUpPages::show(const Visit& visit) const {
    if (visit.is_signed_in()) co_return PageAnswer::to(goal_of(visit));
    const auto step = steps_.find(visit);
    if (!step) co_return PageAnswer::to(with_return(Address("/login"), visit));
    // The cookie outlives a first code whose answer was lost, and is in other tabs: a secret in use is never shown
    // (TFA-12), nor one that a later login has replaced.
    auto state = co_await login_.state_of_set_up(step->challenge, iv_of(*step));
    const bool is_over = state ? step->setup && *state == Login::SetUp::replaced
                               : state.error().is(errors::two_factor_challenge_invalid);
    if (is_over)
        co_return PageAnswer::to(login_with_note(LoginNote::over, visit), visit.cookies().clear(PageCookie::step));
    if (!state) co_return fail(std::move(state.error()));
    if (*state == Login::SetUp::done || !step->setup)
        co_return PageAnswer::to(with_return(Address("/login/verify"), visit),
                                 steps_.keep({.challenge = step->challenge}, visit));
    View view;
    view.text("secret", step->setup->secret).text("otpauth", step->setup->otpauth_url);
    const std::string_view label = locales_.text(visit.language(), "pages.setUp.qr");
    if (auto code = markup::qr_svg(step->setup->otpauth_url, label)) view.html("qr", std::move(*code));
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> SetUpPages::enable(const Sent<SetUpForm>& sent) {
    const auto step = steps_.find(sent.visit());
    const auto start_again = [&] {
        return PageAnswer::refused(errors::two_factor_challenge_invalid,
                                   login_with_note(LoginNote::over, sent.visit()));
    };
    if (!step) co_return start_again();
    // A code of a replaced secret is not a guess.
    const auto state = co_await login_.state_of_set_up(step->challenge, iv_of(*step));
    if (step->setup && state && *state == Login::SetUp::replaced) {
        PageAnswer answer = start_again();
        answer.headers = sent.visit().cookies().clear(PageCookie::step);
        co_return answer;
    }
    auto codes = co_await login_.enable_two_factor(step->challenge, sent.form().code, cause_of(sent.visit().context()));
    if (!codes && codes.error().is(errors::two_factor_challenge_invalid)) co_return start_again();
    // Sent twice: the second factor is on, and the codes were shown.
    if (!codes && codes.error().is(errors::two_factor_not_required_setup))
        co_return PageAnswer::to(with_return(Address("/login/verify"), sent.visit()),
                                 steps_.keep({.challenge = step->challenge}, sent.visit()));
    if (!codes) co_return fail(std::move(codes.error()));
    // Shown in this answer alone, so that they are never stored.
    PageAnswer answer =
        PageAnswer::of_once(std::move(backup_codes_view(*codes).text("made", shown_time(sent.visit().context().now))));
    answer.headers = steps_.keep({.challenge = step->challenge}, sent.visit());  // without the secret
    co_return answer;
}

}  // namespace consentry
