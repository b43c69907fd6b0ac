// Identifies callers by access token. Every request is matched against a live session.
#pragma once

#include <type_traits>

#include "base/errors.hpp"
#include "features/roles/roles.hpp"
#include "features/sessions/sessions.hpp"
#include "features/users/caller.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"

namespace consentry {

class SessionGuard;

// The caller that a live session stands for; tells the log and the gates too.
Caller caller_of(LiveSession session, http::KnownCaller& known);

// An unchecked bearer token from the Authorization header, for the refresh endpoint, which checks and spends it.
class RefreshBearer {
public:
    using Guard = SessionGuard;
    const std::string& token() const { return token_; }
    // Records the user for the request log, which outlives the handler.
    void belongs_to(UserId user) const { known_->user = user.uuid(); }

private:
    friend class SessionGuard;
    RefreshBearer(std::string token, http::KnownCaller& known) : token_(std::move(token)), known_(&known) {}
    std::string token_;
    http::KnownCaller* known_;
};

// What all guards share that recognize a caller by a live session. They differ in what names the session.
class LiveSessionGuard : public CallerGuard {
protected:
    // All arguments must outlive this.
    LiveSessionGuard(Sessions& sessions, Roles& roles, Consents& consents)
        : sessions_(sessions), roles_(roles), consents_(consents) {}
    Sessions& sessions() const { return sessions_; }

private:
    awaitable<std::optional<SeenRole>> see_role(RoleId role) override { return roles_.see(role); }
    Consents& consents() override { return consents_; }

    Sessions& sessions_;
    Roles& roles_;
    Consents& consents_;
};

class SessionGuard final : public LiveSessionGuard {
public:
    SessionGuard(Sessions& sessions, Roles& roles, Consents& consents) : LiveSessionGuard(sessions, roles, consents) {}

    using CallerGuard::access;
    using CallerGuard::admit;
    awaitable<Result<RefreshBearer>> admit(http::RequestContext& context, std::type_identity<RefreshBearer>);
    static http::Access access(std::type_identity<RefreshBearer>);

private:
    awaitable<Result<Caller>> identify(http::RequestContext& context, AlongWithSession along) override;
};

}  // namespace consentry
