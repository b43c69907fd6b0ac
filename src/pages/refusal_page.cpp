#include "pages/refusal_page.hpp"

#include "base/errors.hpp"
#include "features/users/caller.hpp"

namespace consentry {

std::optional<HtmlLiteral> page_for(const Error& refusal) {
    if (refusal.is(errors::jwt_access_token_invalid)) return "/login";
    if (refusal.is(errors::term_policy_required)) return "/accept";
    if (refusal.is(errors::fresh_login_required)) return "/login/confirm";
    if (refusal.is(errors::password_expired))
        return refusal.message_key() == password_temporary_message ? HtmlLiteral("/change-password")
                                                                   : HtmlLiteral("/forgot-password");
    return std::nullopt;
}

}  // namespace consentry
