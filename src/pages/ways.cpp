#include "pages/ways.hpp"

#include <array>

#include "base/percent_encoding.hpp"
#include "features/passwords/form.hpp"

namespace consentry {
namespace {

template <class Kind>
struct Note {
    Kind note;
    std::string_view name;  // in the address
    std::string_view message;
};
constexpr std::array notes{Note{LoginNote::over, "over", "pages.login.over"},
                           Note{LoginNote::signed_up, "signed-up", "pages.login.signedUp"},
                           Note{LoginNote::link_sent, "link", "pages.login.linkSent"},
                           Note{LoginNote::verified, "verified", "pages.login.verified"},
                           Note{LoginNote::password_set, "password", "pages.login.passwordSet"}};
// Beside `with`, the name of the provider.
constexpr std::array provider_notes{
    Note{ProviderNote::over, "over", "pages.provider.over"},
    Note{ProviderNote::canceled, "cancelled", "pages.provider.cancelled"},
    Note{ProviderNote::refused, "refused", "pages.provider.refused"},
    Note{ProviderNote::no_sign_up, "no-sign-up", "pages.provider.noSignUp"},
    Note{ProviderNote::inactive, "inactive", "user.error.inactive"},
    Note{ProviderNote::not_verified, "not-verified", "user.error.emailNotVerified"},
    Note{ProviderNote::set_up_expired, "set-up-expired", "pages.auth.error.twoFactorSetupExpired"}};

std::string_view name_in(const auto& list, auto wanted) {
    for (const auto& one : list)
        if (one.note == wanted) return one.name;
    return {};
}
std::string_view message_in(const auto& list, std::string_view name) {
    for (const auto& one : list)
        if (one.name == name) return one.message;
    return {};
}

}  // namespace

Address with_return(Address address, const Visit& visit) {
    if (!visit.return_to()) return address;
    return std::move(address).with("return", visit.return_to()->text());
}

std::string keep_way_back(const Visit& visit) {
    constexpr std::chrono::days lifetime{1};  // as long as a link that verifies an address
    const PageCookies& cookies = visit.cookies();
    constexpr std::size_t bytes_max = 3'500;  // browsers keep cookies of 4,096 bytes with name and attributes
    const std::string value = visit.return_to() ? percent_encoded(visit.return_to()->text()) : std::string();
    if (!value.empty() && value.size() <= bytes_max) return cookies.set(PageCookie::way_back, value, lifetime);
    return forget_way_back(visit);
}

std::string forget_way_back(const Visit& visit) {
    return visit.cookie(PageCookie::way_back) ? visit.cookies().clear(PageCookie::way_back) : std::string();
}

Address goal_of(const Visit& visit) { return visit.return_to().value_or(Address("/account")); }

Address login_with_note(LoginNote note, const Visit& visit) {
    return with_return(Address("/login").with("step", name_in(notes, note)), visit);
}

PageAnswer on_with_note(LoginNote note, PageNote instead, const Visit& visit, std::string headers) {
    if (!visit.is_signed_in()) return PageAnswer::to(login_with_note(note, visit), std::move(headers));
    return PageAnswer::to(goal_of(visit), tell(instead, visit) + headers);
}

Address login_with_note(ProviderNote note, SocialProvider provider, const Visit& visit) {
    return with_return(
        Address("/login").with("step", name_in(provider_notes, note)).with("with", facts_of(provider).name), visit);
}

View notes_of(const Visit& visit, const Locales& locales) {
    View view;
    const std::string step = visit.query("step");
    const std::string with = visit.query("with");
    for (const SocialProvider provider : all_social_providers) {
        const SocialProviderFacts& facts = facts_of(provider);
        const auto message = with == facts.name ? message_in(provider_notes, step) : std::string_view();
        if (!message.empty()) view.text("refusal", locales.text(visit.language(), message, {{"owner", facts.owner}}));
    }
    const auto message = with.empty() ? message_in(notes, step) : std::string_view();
    if (!message.empty()) view.text("note", locales.text(visit.language(), message));
    return view;
}

Origin origin_of(const Visit& visit, LoginWith with) {
    Origin origin;
    origin.kind = SessionKind::cookie;
    origin.from = LoginFrom::website;
    origin.with = with;
    origin.ip_address = visit.context().client_address();
    origin.user_agent = visit.context().user_agent();
    return origin;
}

View password_hint() {
    View view;
    view.flag("needs_classes", password_rules() == PasswordRules::classes)
        .text("length_min", std::to_string(password_characters_min()))
        .text("length_max", std::to_string(password_characters_max()));
    return view;
}

}  // namespace consentry
