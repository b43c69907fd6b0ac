// Identifies callers by the cookie of the pages. The API does not know it: there a cookie identifies no caller.
#pragma once

#include "features/sessions/guard.hpp"
#include "pages/cookies.hpp"

namespace consentry {

class CookieGuard final : public LiveSessionGuard {
public:
    CookieGuard(Sessions& sessions, Roles& roles, Consents& consents, PageCookies cookies)
        : LiveSessionGuard(sessions, roles, consents), cookies_(cookies) {}

private:
    awaitable<Result<Caller>> identify(http::RequestContext& context, AlongWithSession along) override;

    PageCookies cookies_;
};

}  // namespace consentry
