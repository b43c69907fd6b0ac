// What a page says about the form that led to it. The browser takes it along in a cookie rather than in the address,
// because anyone can make an address, and loading it again would repeat the sentence.
#pragma once

#include <string>

#include "base/locales.hpp"
#include "pages/view.hpp"
#include "pages/visit.hpp"

namespace consentry {

enum class PageNote {
    expired,  // the form was not taken, and its page could not say so
    link_sent,
    verified,
    password_set,
    profile_saved,
    session_ended,
    sessions_ended,
    two_factor_off,
    withdrawn,
};

// The header of a redirect, after which the next page that the browser opens shows the note.
std::string tell(PageNote note, const Visit& visit);
// For the layout: `done`, what the browser has taken along, if anything.
View told(const Visit& visit, const Locales& locales);
// The header of a page that shows what the browser has taken along, which it does once. Empty if there is nothing.
std::string forget_told(const Visit& visit);

}  // namespace consentry
