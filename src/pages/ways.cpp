#include "pages/ways.hpp"

#include <array>

#include "features/passwords/form.hpp"

namespace consentry {
namespace {

struct Note {
    LoginNote note;
    std::string_view name;  // in the address
    std::string_view message;
};
constexpr std::array notes{Note{LoginNote::over, "over", "pages.login.over"},
                           Note{LoginNote::signed_up, "signed-up", "pages.login.signedUp"},
                           Note{LoginNote::link_sent, "link", "pages.login.linkSent"},
                           Note{LoginNote::verified, "verified", "pages.login.verified"},
                           Note{LoginNote::password_set, "password", "pages.login.passwordSet"}};

}  // namespace

Address with_return(Address address, const Visit& visit) {
    if (!visit.return_to()) return address;
    return std::move(address).with("return", visit.return_to()->text());
}

Address goal_of(const Visit& visit) { return visit.return_to().value_or(Address("/account")); }

Address login_with_note(LoginNote wanted, const Visit& visit) {
    std::string_view name;
    for (const Note& one : notes)
        if (one.note == wanted) name = one.name;
    return with_return(Address("/login").with("step", name), visit);
}

std::string_view note_message(const Visit& visit) {
    const std::string step = visit.query("step");
    for (const Note& one : notes)
        if (one.name == step) return one.message;
    return {};
}

View password_hint() {
    View view;
    view.flag("needs_classes", password_rules() == PasswordRules::classes)
        .text("length_min", std::to_string(password_characters_min()))
        .text("length_max", std::to_string(password_characters_max()));
    return view;
}

}  // namespace consentry
