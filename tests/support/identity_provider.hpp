// Identity providers, google and apple by name, that sign what a test orders (tests/real/idp.mjs), and one that others
// wrote (tests/real/oidc).
#pragma once

#include <optional>
#include <string>

#include "tests/support/service.hpp"

namespace consentry::tests {

inline constexpr const char* google = "google";
inline constexpr const char* apple = "apple";

class IdentityProviders {
public:
    IdentityProviders();
    ~IdentityProviders();
    IdentityProviders(const IdentityProviders&) = delete;
    IdentityProviders& operator=(const IdentityProviders&) = delete;

    // Of a service that believes them: google's clients are "google-web" and "google-app", apple's "apple-app" and
    // "apple-web".
    Environment settings() const;
    std::string issuer(const std::string& provider) const;
    std::string keys_address(const std::string& provider) const { return issuer(provider) + "/keys"; }
    std::string file(const std::string& name) const;  // "ca.crt", "untrusted_ca.crt"

    // What a good token claims at the service's time.
    json::object claims(Service& service, const std::string& provider, const std::string& subject,
                        const std::string& email) const;
    // See idp.mjs for what may be ordered.
    std::string token(json::object order) const;
    std::string token(Service& service, const std::string& provider, const std::string& subject,
                      const std::string& email) const;

    void rotate(const std::string& provider, bool keep) const;
    // "drip", "flood" ...; without a kind, keys are answered as they should be.
    void set_fault(json::object fault) const;
    std::int64_t fetches(const std::string& whose) const;  // or "other": of anything else

private:
    json::value control(std::string_view method, const std::string& path, const json::object& body = {}) const;
    TempFolder folder_;
    std::uint16_t https_port_ = 0;
    std::optional<HttpClient> control_;
};

// With clients "rsa" and "ec", whose tokens are signed with RS256 and ES256. Its tokens are of the real time.
class GenuineProvider {
public:
    GenuineProvider();
    ~GenuineProvider();
    GenuineProvider(const GenuineProvider&) = delete;
    GenuineProvider& operator=(const GenuineProvider&) = delete;

    Environment settings() const;  // as the service's Google
    std::string log_in(const json::object& order) const;

private:
    TempFolder folder_;
    std::string origin_;
    std::optional<HttpClient> control_;
};

// What a client sends with an identity token.
Answer log_in_with(const Service& service, const std::string& provider, const std::string& token,
                   const json::object& more = {});

}  // namespace consentry::tests
