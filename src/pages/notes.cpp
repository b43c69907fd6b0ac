#include "pages/notes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace consentry {
namespace {

constexpr std::chrono::minutes lifetime{1};  // a redirect takes seconds

struct Note {
    PageNote note;
    std::string_view name;  // in the cookie
    std::string_view message;
};
constexpr std::array notes{
    Note{PageNote::expired, "expired", "pages.form.expired"},
    Note{PageNote::link_sent, "link-sent", "pages.login.linkSent"},
    Note{PageNote::verified, "verified", "pages.login.verified"},
    Note{PageNote::password_set, "password-set", "pages.login.passwordSet"},
    Note{PageNote::profile_saved, "profile", "pages.done.profile"},
    Note{PageNote::session_ended, "session", "pages.done.session"},
    Note{PageNote::sessions_ended, "sessions", "pages.done.sessions"},
    Note{PageNote::two_factor_off, "two-factor-off", "pages.done.twoFactorOff"},
    Note{PageNote::withdrawn, "withdrawn", "pages.done.withdrawn"},
};

}  // namespace

std::string tell(PageNote note, const Visit& visit) {
    return visit.cookies().set(PageCookie::note, std::ranges::find(notes, note, &Note::note)->name, lifetime);
}

View told(const Visit& visit, const Locales& locales) {
    View view;
    const auto found = std::ranges::find(notes, visit.cookie(PageCookie::note).value_or(""), &Note::name);
    if (found != notes.end()) view.text("done", locales.text(visit.language(), found->message));
    return view;
}

std::string forget_told(const Visit& visit) {
    return visit.cookie(PageCookie::note) ? visit.cookies().clear(PageCookie::note) : std::string();
}

}  // namespace consentry
