// What a browser keeps while it is at an identity provider: a cookie with the secrets of the request, sealed.
//
// The provider sends the browser back with a form, and browsers withhold our other cookies from a form of another site.
// This one comes along (SameSite=None), and brings what the others say: which browser it is, where it wanted to go, and
// in which language. It opens for the provider to which it was made, for ten minutes, and proves that the answer is for
// this browser: an answer that an attacker has obtained, and has this browser send, has another state.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "crypto/aead.hpp"
#include "features/login/provider.hpp"
#include "pages/cookies.hpp"
#include "pages/pages_guard.hpp"

namespace consentry {

// As long as an identity token counts as fresh.
inline constexpr std::chrono::minutes provider_trip_max{10};

struct ProviderTrip {
    std::string state;  // comes back beside the token
    std::string nonce;  // comes back within it
    LeftVisit left;
};

class ProviderTrips {
public:
    // The first of `secrets` seals; all of them open. `clock` must outlive this object.
    ProviderTrips(const Clock& clock, const std::vector<std::string>& secrets, PageCookies cookies)
        : clock_(clock), sealing_(secrets, "consentry trip to an identity provider"), cookies_(cookies) {}

    // Makes new secrets.
    static ProviderTrip begin(const Visit& visit);
    // Returns the header line that sets the cookie.
    std::string keep(const ProviderTrip& trip, SocialProvider provider) const;
    // Returns nullopt unless the browser is on a trip to this provider, in time, with this state.
    std::optional<ProviderTrip> find(const http::Request& request, SocialProvider provider,
                                     std::string_view state) const;
    // Returns the header line that ends the trip.
    std::string end() const { return cookies_.clear(PageCookie::provider); }

private:
    const Clock& clock_;
    crypto::SealingKeys sealing_;
    PageCookies cookies_;
};

}  // namespace consentry
