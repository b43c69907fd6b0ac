// The hosts of the applications that forward auth guards, and what a browser asked one of them for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/context.hpp"
#include "http/steps/networks.hpp"

namespace consentry {

// A browser's request to a guarded host, as a trusted proxy tells it.
struct AskedAddress {
    std::string origin;  // "https://app.example.com", in lower case and without the usual port
    std::string path;    // with the query; begins with a slash, and has characters of RFC 3986 only
    bool is_get = false;

    std::string text() const { return origin + path; }
};

class GuardedHosts {
public:
    GuardedHosts() = default;
    // `origins` are in the form of AskedAddress::origin. `domain`, if not empty, is one that shares a cookie:
    // "example.com". `proxies` are trusted.
    GuardedHosts(std::vector<std::string> origins, std::string domain, http::Networks proxies);

    // Returns nullopt unless a trusted proxy has sent the request and names one scheme and host: X-Forwarded-Proto,
    // -Host, -Uri and -Method, or X-Original-URL. What it does not name is that of the request itself; `path` is what
    // follows the path of the check. The host may be any.
    std::optional<AskedAddress> asked(const http::RequestContext& context, std::string_view path = {}) const;

    bool contain(std::string_view origin) const;
    // Where the cookie of a guarded host is valid: the origin itself, or the shared domain, which begins with a dot.
    std::string realm_of(std::string_view origin) const;
    bool empty() const { return origins_.empty(); }

private:
    std::vector<std::string> origins_;
    std::string domain_;
    http::Networks proxies_;
};

}  // namespace consentry
