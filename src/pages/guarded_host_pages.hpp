// Where a login becomes the cookie of a guarded host (features/forward_auth/hand_over.hpp): the steps at that host,
// which its proxy hands to this service, and the one at the pages.
#pragma once

#include "features/forward_auth/guard.hpp"
#include "features/forward_auth/hand_over.hpp"
#include "http/router.hpp"
#include "pages/pages.hpp"

namespace consentry {

class GuardedHostPages {
public:
    // All arguments must outlive the router.
    GuardedHostPages(HandOver& hand_over, const HostCookies& cookies, ForwardAuthGuard& callers, PageKit kit)
        : hand_over_(hand_over), cookies_(cookies), callers_(callers), kit_(kit) {}

    void add_to(http::Router& router);

private:
    using Answer = awaitable<Result<http::Reply>>;
    // The origin of the guarded host that a browser asked. Error: routeNotFound if it is none.
    Result<std::string> origin_of(const http::RequestContext& context) const;
    Answer start(http::RequestContext& context) const;
    awaitable<Result<PageAnswer>> hand_over(const VisitOf<SignedIn>& visit) const;
    Answer callback(http::RequestContext& context);
    Answer forbidden(http::RequestContext& context);

    HandOver& hand_over_;
    const HostCookies& cookies_;
    ForwardAuthGuard& callers_;
    PageKit kit_;
};

}  // namespace consentry
