// Errors as pages, in the language of the browser.
#pragma once

#include <string>

#include "http/error_pages.hpp"
#include "pages/navigations.hpp"
#include "pages/pages_guard.hpp"
#include "pages/site.hpp"

namespace consentry {

class SiteErrorPages final : public http::ErrorPages {
public:
    // `api_prefix` is the prefix of the API's paths, where errors are always envelopes, but for navigations to guarded
    // applications.
    SiteErrorPages(const Site& site, const PagesGuard& guard, std::string api_prefix, Navigations navigations);

    bool concerns(const http::RequestContext& context) const override;
    http::Reply page_of(http::RequestContext& context, const Error& error) const override;

private:
    const Site& site_;
    const PagesGuard& guard_;
    std::string api_prefix_;
    Navigations navigations_;
    SitePage page_;
};

}  // namespace consentry
