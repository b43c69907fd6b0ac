// Gives a browser that is logged in at the pages a cookie of a guarded host:
//
//   guarded host  begin()   a secret cookie for the browser, and its digest to the pages
//   the pages     issue()   a code for the session, bound to host and digest
//   guarded host  redeem()  the code and the secret cookie become the host's cookie
//
// A code works once, for thirty seconds, at its host, and in the browser that began: a code that an attacker has placed
// there logs no one in. A browser with another secret begins a second time, which leads to its own account.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "crypto/aead.hpp"
#include "features/forward_auth/host_cookies.hpp"
#include "features/forward_auth/repository.hpp"

namespace consentry {

inline constexpr std::chrono::seconds code_lifetime{30};

// Where a browser is sent, and with which cookies. `address` is an address or a path of the same host.
struct Onward {
    std::string address;
    std::string headers;  // complete lines
};

// Where a browser wants to go, and whether it has begun a second time.
struct Destination {
    std::string path;
    bool is_second_time = false;
};

class HandOver {
public:
    // `pages`: the origin of the pages, such as "https://accounts.example.com". `cookie_lifetime`: the longest life of
    // a session. All references must outlive this.
    HandOver(storage::Database& database, const Clock& clock, const HostCookies& cookies, std::string pages,
             std::chrono::seconds cookie_lifetime, const std::vector<std::string>& secrets);

    // At the guarded host of this origin. The destination is not trusted.
    Onward begin(const http::Request& request, std::string_view origin, const Destination& destination) const;
    // At the pages. Returns the address of redeem() with the code. `session` is the value of their session cookie,
    // `browser` the digest that begin() sent. The destination has a path that may be returned to. Error: routeNotFound
    // if the origin is none of a guarded host.
    Result<std::string> issue(std::string_view session, std::string_view origin, std::string_view browser,
                              const Destination& destination) const;
    // At the guarded host of this origin. `destination` is the one beside the code, whose path may be returned to;
    // without a path, the browser cannot begin again. Error: handOverInvalid, whatever the reason.
    awaitable<Result<Onward>> redeem(const http::Request& request, std::string origin, std::string code,
                                     Destination destination);
    // Deletes the records of codes that are over.
    awaitable<void> forget_old();

private:
    SpentCodeRepository repository_;
    const Clock& clock_;
    const HostCookies& cookies_;
    std::string pages_;
    std::chrono::seconds cookie_lifetime_;
    crypto::SealingKeys keys_;
};

}  // namespace consentry
