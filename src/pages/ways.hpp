// Where pages lead, and what the page there says about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "features/login/provider.hpp"
#include "features/sessions/repository.hpp"
#include "pages/notes.hpp"
#include "pages/site.hpp"
#include "pages/visit.hpp"

namespace consentry {

// Adds the way back, if there is one.
Address with_return(Address address, const Visit& visit);
// The headers of an answer after which a mailed link is awaited, which may be followed in this browser: the way back is
// kept for it. See PagesGuard.
std::string keep_way_back(const Visit& visit);
// The same once the link was followed.
std::string forget_way_back(const Visit& visit);
// Where a login ends: where the visitor wanted to go, or the account.
Address goal_of(const Visit& visit);

// What has just happened, for the page of the login. Anyone can put these into an address, so the notes promise nothing
// that is not shown to everyone.
enum class LoginNote { over, signed_up, link_sent, verified, password_set };
Address login_with_note(LoginNote note, const Visit& visit);
// Leads to the login with `note`, or a visitor who is signed in to their goal, which says it as `instead`.
PageAnswer on_with_note(LoginNote note, PageNote instead, const Visit& visit, std::string headers);
// The same after a visit to an identity provider that did not lead to a login.
enum class ProviderNote { over, canceled, refused, no_sign_up, inactive, not_verified, set_up_expired };
Address login_with_note(ProviderNote note, SocialProvider provider, const Visit& visit);
// The values `note` and `refusal` of the page of the login, as far as the address names them.
View notes_of(const Visit& visit, const Locales& locales);

// How a session that begins on a page is recorded.
Origin origin_of(const Visit& visit, LoginWith with);

// What a new password must be, for the templates that ask for one.
View password_hint();
inline const std::vector<std::string> password_hint_names{"needs_classes", "length_min", "length_max"};

}  // namespace consentry
