// Who is asking. A handler whose first parameter is one of these types cannot be reached without the proof it stands
// for: only SessionGuard makes them.
#pragma once

#include <type_traits>

#include "base/errors.hpp"
#include "features/sessions/sessions.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"

namespace consentry {

class SessionGuard;

// Proof that the access token's kind, subject and jti matched a live session of an account that may act.
class SignedIn {
public:
    using Guard = SessionGuard;
    UserId user() const { return session_.user; }
    SessionId session() const { return session_.id; }
    const std::string& email() const { return session_.email; }
    Role role() const { return session_.role; }

protected:
    friend class SessionGuard;
    explicit SignedIn(LiveSession session) : session_(std::move(session)) {}

private:
    LiveSession session_;
};

// The same, of an admin or super admin.
class SignedInAdmin : public SignedIn {
    friend class SessionGuard;
    explicit SignedInAdmin(LiveSession session) : SignedIn(std::move(session)) {}
};

// A bearer token in the Authorization header that nobody has looked at yet: for refresh, which spends it.
class RefreshBearer {
public:
    using Guard = SessionGuard;
    const std::string& token() const { return token_; }

private:
    friend class SessionGuard;
    explicit RefreshBearer(std::string token) : token_(std::move(token)) {}
    std::string token_;
};

class SessionGuard {
public:
    explicit SessionGuard(Sessions& sessions) : sessions_(sessions) {}

    awaitable<Result<SignedIn>> admit(http::RequestContext& context, std::type_identity<SignedIn>);
    awaitable<Result<SignedInAdmin>> admit(http::RequestContext& context, std::type_identity<SignedInAdmin>);
    awaitable<Result<RefreshBearer>> admit(http::RequestContext& context, std::type_identity<RefreshBearer>);

    static http::Access access(std::type_identity<SignedIn>);
    static http::Access access(std::type_identity<SignedInAdmin>);
    static http::Access access(std::type_identity<RefreshBearer>);

private:
    awaitable<Result<LiveSession>> authenticate(http::RequestContext& context);
    Sessions& sessions_;
};

}  // namespace consentry
