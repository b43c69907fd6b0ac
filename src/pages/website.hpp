// All pages, and what they share.
#pragma once

#include <string>
#include <vector>

#include "features/acceptances/acceptances.hpp"
#include "features/accounts/accounts.hpp"
#include "features/accounts/link_requests.hpp"
#include "features/login/login.hpp"
#include "features/login/social_guard.hpp"
#include "features/passwords/confirmation.hpp"
#include "features/passwords/passwords.hpp"
#include "features/roles/roles.hpp"
#include "features/term_policies/term_policies.hpp"
#include "features/two_factor/two_factor.hpp"
#include "http/router.hpp"
#include "pages/account_area.hpp"
#include "pages/consent_pages.hpp"
#include "pages/cookie_guard.hpp"
#include "pages/error_pages.hpp"
#include "pages/guarded_host_pages.hpp"
#include "pages/login_pages.hpp"
#include "pages/login_steps.hpp"
#include "pages/pages_guard.hpp"
#include "pages/provider_buttons.hpp"
#include "pages/provider_pages.hpp"
#include "pages/recovery_pages.hpp"
#include "pages/set_up_pages.hpp"
#include "pages/sign_up_pages.hpp"
#include "pages/site.hpp"

namespace consentry {

struct WebsiteSettings {
    SiteSettings site;
    PagesGuardSettings guard;
    std::string api_prefix;
    std::string url;  // of the pages, as browsers name them
    std::vector<WebProvider> providers;
};

class Website {
public:
    struct Parts {
        const Clock& clock;
        const Locales& locales;
        FeatureFlags& flags;
        Sessions& sessions;
        Roles& roles;
        Acceptances& acceptances;
        TermPolicies& policies;
        PolicyDiffs& diffs;
        Login& login;
        SocialGuard& social_guard;
        Accounts& accounts;
        LinkRequests& links;
        Passwords& passwords;
        Confirmation& confirmation;
        TwoFactor& two_factor;
        HandOver& hand_over;
        const HostCookies& host_cookies;
        ForwardAuthGuard& guarded_callers;
        AccountArea::Parts account;
    };
    // The parts must outlive this object. Throws std::runtime_error naming what cannot be used.
    Website(const Parts& parts, WebsiteSettings settings);

    // Declares the pages. This object must outlive the router.
    void add_to(http::Router& router);
    const http::ErrorPages& error_pages() const { return error_pages_; }

private:
    PageKit kit() { return {site_, guard_, repeated_, flags_}; }

    Site site_;
    CookieGuard callers_;
    PagesGuard guard_;
    RepeatedForms repeated_;
    FeatureFlags& flags_;
    SiteErrorPages error_pages_;
    ProviderButtons buttons_;
    const LoginSteps steps_;
    LoginPages login_;
    ProviderPages providers_;
    SetUpPages set_up_;
    SignUpPages sign_up_;
    RecoveryPages recovery_;
    ConsentPages consent_;
    GuardedHostPages guarded_hosts_;
    AccountArea account_;
};

}  // namespace consentry
