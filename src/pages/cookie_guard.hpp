// Identifies callers by the cookie of the pages. The API does not know it: there a cookie identifies no caller.
#pragma once

#include "features/sessions/guard.hpp"
#include "pages/cookies.hpp"

namespace consentry {

class CookieGuard final : public CallerGuard {
public:
    CookieGuard(Sessions& sessions, Roles& roles, Consents& consents, PageCookies cookies)
        : sessions_(sessions), roles_(roles), consents_(consents), cookies_(cookies) {}

private:
    awaitable<Result<Caller>> identify(http::RequestContext& context) override;
    awaitable<std::optional<SeenRole>> see_role(RoleId role) override { return roles_.see(role); }
    Consents& consents() override { return consents_; }

    Sessions& sessions_;
    Roles& roles_;
    Consents& consents_;
    PageCookies cookies_;
};

}  // namespace consentry
