// Identifies callers by the cookie of the pages. The API does not know it: there a cookie identifies no caller.
#pragma once

#include "features/sessions/guard.hpp"
#include "pages/cookies.hpp"

namespace consentry {

class CookieGuard;

// Proof that the cookie belongs to a live session, whatever its account may do: enough to end that session.
class SessionHolder {
public:
    UserId user() const { return user_; }
    SessionId session() const { return session_; }

private:
    friend class CookieGuard;
    SessionHolder(UserId user, SessionId session) : user_(user), session_(session) {}
    UserId user_;
    SessionId session_;
};

class CookieGuard final : public LiveSessionGuard {
public:
    using LiveSessionGuard::admit;
    CookieGuard(Sessions& sessions, Roles& roles, Consents& consents, PageCookies cookies)
        : LiveSessionGuard(sessions, roles, consents), cookies_(cookies) {}
    awaitable<Result<SessionHolder>> admit(http::RequestContext& context, std::type_identity<SessionHolder>);

private:
    awaitable<Result<Caller>> identify(http::RequestContext& context, AlongWithSession along) override;

    PageCookies cookies_;
};

}  // namespace consentry
