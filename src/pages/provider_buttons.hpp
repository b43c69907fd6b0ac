// The buttons "Continue with Google" and "Continue with Apple": which there are, and when they are shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "features/feature_flags/feature_flags.hpp"
#include "features/login/provider.hpp"
#include "pages/address.hpp"
#include "pages/view.hpp"

namespace consentry {

// An identity provider that knows this website.
struct WebProvider {
    SocialProvider provider = SocialProvider::google;
    std::string client_id;
    ConfiguredUrl authorization;  // its authorization endpoint
};

class ProviderButtons {
public:
    // `flags` must outlive this object.
    ProviderButtons(FeatureFlags& flags, std::vector<WebProvider> providers)
        : flags_(flags), providers_(std::move(providers)) {}

    const std::vector<WebProvider>& providers() const { return providers_; }
    // The values of providers.html: the providers whose feature flag is on ...
    awaitable<View> to_log_in() const { return view_of(&SocialProviderFacts::login_flag); }
    // ... and with which new accounts can be made.
    awaitable<View> to_sign_up() const { return view_of(&SocialProviderFacts::sign_up_flag); }
    inline static const std::vector<std::string> names{"has_providers", "providers", "provider", "owner"};
    // To which the buttons lead.
    std::vector<std::string> origins() const;

private:
    awaitable<View> view_of(std::string_view SocialProviderFacts::* flag) const;

    FeatureFlags& flags_;
    std::vector<WebProvider> providers_;
};

}  // namespace consentry
