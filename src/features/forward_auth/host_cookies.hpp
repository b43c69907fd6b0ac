// The cookies that a browser gets on a guarded host: which session it has, and what it began a login with.
//
// The cookie of a session holds the session cookie of the pages, sealed for the host, or the domain, for which it was
// made. It is worth nothing at another host, and nothing at all for the pages and the API of this service. The session
// is looked up at every request.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/aead.hpp"
#include "features/forward_auth/guarded_hosts.hpp"
#include "http/request.hpp"

namespace consentry {

class HostCookies {
public:
    // The first of `secrets` seals; all of them open.
    HostCookies(GuardedHosts hosts, const std::vector<std::string>& secrets);

    const GuardedHosts& hosts() const { return hosts_; }

    // The value of the pages' session cookie for which the request's cookie stands, at a guarded origin.
    std::optional<std::string> find(const http::Request& request, std::string_view origin) const;
    // A complete header line. The browser keeps the cookie for `lifetime`; the session decides how long it is good.
    std::string set(std::string_view session, std::string_view origin, std::chrono::seconds lifetime) const;

    // What identifies the browser from the beginning of a login at a guarded host to its end: 256 random bits, which
    // leave the host as a digest only.
    std::optional<std::string> find_browser(const http::Request& request, std::string_view origin) const;
    std::string set_browser(std::string_view browser, std::string_view origin) const;
    static std::string new_browser();
    static std::string digest_of(std::string_view browser);

private:
    GuardedHosts hosts_;
    crypto::SealingKeys keys_;
};

}  // namespace consentry
