// Identifies callers of guarded applications: by access token, or by the cookie of the guarded host.
#pragma once

#include "features/forward_auth/host_cookies.hpp"
#include "features/sessions/guard.hpp"

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

class ForwardAuthGuard final : public LiveSessionGuard {
public:
    // All arguments must outlive this.
    ForwardAuthGuard(Sessions& sessions, Roles& roles, Consents& consents, const HostCookies& cookies)
        : LiveSessionGuard(sessions, roles, consents), cookies_(cookies) {}

    using CallerGuard::access;
    using CallerGuard::admit;
    awaitable<Result<AskedCaller>> admit(http::RequestContext& context, std::type_identity<AskedCaller>);
    static http::Access access(std::type_identity<AskedCaller>);

private:
    awaitable<Result<Caller>> identify(http::RequestContext& context, AlongWithSession along) override;
    awaitable<Result<LiveSession>> authenticate(const http::RequestContext& context, AlongWithSession along);

    const HostCookies& cookies_;
};

}  // namespace consentry
