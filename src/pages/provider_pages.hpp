// /login/google and /login/apple, where a button sends the browser to the identity provider, and the addresses below
// them, to which the provider sends it back: OpenID Connect with an identity token in a form, which a page without
// scripts can receive, and which needs neither a secret of the client nor a request of ours.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "features/login/login.hpp"
#include "features/login/social_guard.hpp"
#include "http/router.hpp"
#include "pages/login_pages.hpp"
#include "pages/provider_buttons.hpp"
#include "pages/provider_trips.hpp"

namespace consentry {

struct ContinueForm {
    static constexpr std::array<std::string_view, 0> shown_again{};
    static constexpr auto fields() { return std::tuple{}; }
};

class ProviderPages {
public:
    struct Parts {
        Login& login;
        SocialGuard& guard;
        const LoginPages& login_pages;
        const ProviderButtons& buttons;
    };
    // `url` is the address of the pages, as browsers name it. All references must outlive the router.
    ProviderPages(const Parts& parts, ProviderTrips trips, PageKit kit, std::string url)
        : parts_(parts), trips_(std::move(trips)), kit_(kit), url_(std::move(url)) {}

    void add_to(Pages& pages, http::Router& router);

private:
    awaitable<Result<PageAnswer>> leave(const WebProvider& to, const Sent<ContinueForm>& sent) const;
    // What the provider has the browser send: text of a stranger until the trip and the token are checked.
    struct Returned {
        std::string state;
        std::optional<std::string> token;
        std::string error;
        std::string user;
    };
    static Returned read(std::vector<http::NamedText> fields);
    awaitable<Result<http::Reply>> come_back(SocialProvider from, http::RequestContext& context);
    awaitable<Result<PageAnswer>> log_in(SocialProvider from, const Returned& returned, const ProviderTrip& trip,
                                         const Visit& visit);

    Parts parts_;
    ProviderTrips trips_;
    PageKit kit_;
    std::string url_;
};

}  // namespace consentry
