// All pages, and what they share.
#pragma once

#include <string>
#include <vector>

#include "features/login/login.hpp"
#include "features/roles/roles.hpp"
#include "http/router.hpp"
#include "pages/cookie_guard.hpp"
#include "pages/error_pages.hpp"
#include "pages/login_pages.hpp"
#include "pages/pages_guard.hpp"
#include "pages/site.hpp"

namespace consentry {

struct WebsiteSettings {
    SiteSettings site;
    PagesGuardSettings guard;
    std::string api_prefix;
};

class Website {
public:
    struct Parts {
        const Locales& locales;
        Sessions& sessions;
        Roles& roles;
        Consents& consents;
        Login& login;
    };
    // The parts must outlive this object. Throws std::runtime_error naming what cannot be used.
    Website(const Parts& parts, WebsiteSettings settings);

    // Declares the pages. This object must outlive the router.
    void add_to(http::Router& router);
    const http::ErrorPages& error_pages() const { return error_pages_; }

private:
    Site site_;
    CookieGuard callers_;
    PagesGuard guard_;
    SiteErrorPages error_pages_;
    LoginPages login_;
};

}  // namespace consentry
