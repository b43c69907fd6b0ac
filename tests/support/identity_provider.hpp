// Identity providers for tests: "google" and "apple", which sign whatever a test requests (tests/real/idp.mjs), and a
// third-party implementation (tests/real/oidc).
#pragma once

#include <optional>
#include <string>

#include "tests/support/service.hpp"

namespace consentry::tests {

inline constexpr const char* google = "google";
inline constexpr const char* apple = "apple";

// All tests of a process use the same server, one after another: each begins without faults and with all counts at
// zero, with the keys that the previous test left.
class IdentityProviders {
public:
    IdentityProviders();
    ~IdentityProviders();
    IdentityProviders(const IdentityProviders&) = delete;
    IdentityProviders& operator=(const IdentityProviders&) = delete;

    // The settings of a service that trusts them, besides `more`, which overrides them. Google's clients are
    // "google-web" and "google-app", Apple's are "apple-app" and "apple-web".
    Environment settings(Environment more = {}) const;
    std::string issuer(const std::string& provider) const;
    std::string keys_address(const std::string& provider) const { return issuer(provider) + "/keys"; }
    std::string file(const std::string& name) const;  // "ca.crt", "untrusted_ca.crt"

    // The claims of a valid token at the service's time.
    json::object claims(Service& service, const std::string& provider, const std::string& subject,
                        const std::string& email) const;
    // Returns a token made to `order`; see idp.mjs for its members.
    std::string token(json::object order) const;
    std::string token(Service& service, const std::string& provider, const std::string& subject,
                      const std::string& email) const;

    void rotate(const std::string& provider, bool keep) const;
    // Sets a fault by its kind: "drip", "flood" ... Without a kind, keys are served correctly again.
    void set_fault(json::object fault) const;
    std::int64_t fetches(const std::string& whose) const;  // a provider, or "other" for requests to anything else

private:
    json::value control(std::string_view method, const std::string& path, const json::object& body = {}) const;
    struct Server;
    static Server& server();
    Server& server_;
};

// Has the clients "rsa" and "ec", whose tokens are signed with RS256 and ES256. Its tokens use the real time.
class GenuineProvider {
public:
    GenuineProvider();
    ~GenuineProvider();
    GenuineProvider(const GenuineProvider&) = delete;
    GenuineProvider& operator=(const GenuineProvider&) = delete;

    Environment settings() const;  // with this provider as the service's Google
    std::string log_in(const json::object& order) const;

private:
    TempFolder folder_;
    std::string origin_;
    std::optional<HttpClient> control_;
};

// Logs in with an identity token, as a client does.
Answer log_in_with(const Service& service, const std::string& provider, const std::string& token,
                   const json::object& more = {});

}  // namespace consentry::tests
