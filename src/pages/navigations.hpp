// What a browser gets when it opens a page of a guarded application and is refused: a redirect to the page where it can
// supply what is missing. Programs, and scripts of the application, get the refusal itself.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "features/forward_auth/guarded_hosts.hpp"
#include "http/operation.hpp"

namespace consentry {

class Navigations {
public:
    // `pages`: the origin of the pages, as browsers name it.
    Navigations(GuardedHosts hosts, std::string pages) : hosts_(std::move(hosts)), pages_(std::move(pages)) {}

    // Whether the request is a proxy's question about a navigation: GET, by Sec-Fetch-Mode or, without it, by Accept.
    bool contain(const http::RequestContext& context) const;
    // Whether the answer will be seen at a guarded host.
    static bool are_at_guarded_host(const http::RequestContext& context);
    // A redirect, or, with `deny=401` in the query, a 401 with the same Location. Returns nullopt if there is nothing
    // that the browser could do.
    std::optional<http::Reply> way_in(const http::RequestContext& context, const Error& refusal) const;
    const std::string& pages() const { return pages_; }

private:
    GuardedHosts hosts_;
    std::string pages_;
};

}  // namespace consentry
