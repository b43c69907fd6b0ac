// Identifies callers of guarded applications: by access token, or by the cookie of the guarded host.
#pragma once

#include "features/forward_auth/host_cookies.hpp"
#include "features/roles/roles.hpp"
#include "features/sessions/sessions.hpp"
#include "features/users/caller.hpp"

namespace consentry {

class ForwardAuthGuard;

// Proof of a live session, which a proxy has sent on. It admits to nothing but the answer to the proxy.
class AskedCaller {
public:
    using Guard = ForwardAuthGuard;
    const SignedIn& caller() const { return caller_; }

private:
    friend class ForwardAuthGuard;
    explicit AskedCaller(SignedIn caller) : caller_(std::move(caller)) {}
    SignedIn caller_;
};

class ForwardAuthGuard final : public CallerGuard {
public:
    // All arguments must outlive this.
    ForwardAuthGuard(Sessions& sessions, Roles& roles, Consents& consents, const HostCookies& cookies)
        : sessions_(sessions), roles_(roles), consents_(consents), cookies_(cookies) {}

    using CallerGuard::access;
    using CallerGuard::admit;
    awaitable<Result<AskedCaller>> admit(http::RequestContext& context, std::type_identity<AskedCaller>);
    static http::Access access(std::type_identity<AskedCaller>) { return access(std::type_identity<SignedIn>{}); }

private:
    awaitable<Result<Caller>> identify(http::RequestContext& context) override;
    awaitable<Result<LiveSession>> authenticate(const http::RequestContext& context);
    awaitable<std::optional<SeenRole>> see_role(RoleId role) override { return roles_.see(role); }
    Consents& consents() override { return consents_; }

    Sessions& sessions_;
    Roles& roles_;
    Consents& consents_;
    const HostCookies& cookies_;
};

}  // namespace consentry
