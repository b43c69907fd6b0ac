#include "features/login/endpoints.hpp"
#include "features/login/social_dto.hpp"
#include "features/login/social_guard.hpp"
#include "features/users/dto.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

SocialRequest request_of(LoginSocialRequest body, Language language) {
    return {.nonce = std::move(body.nonce),
            .name = std::move(body.name),
            .accepted = accepted_in(body),
            .language = language};
}

template <SocialProvider Provider>
void add_provider(http::Router& router, Login& login, std::string_view id, std::string_view says,
                  std::string_view message) {
    const auto& facts = facts_of(Provider);
    const std::string path = "/user/login/social/" + std::string(facts.name);
    router.post(path)
        .also_at("/public" + path)
        .id(id)
        .tag("login")
        .says(says)
        .describes(
            "The ID token works once. Opens the account that is linked to the identity. A new identity needs a "
            "verified address: it is linked to the account with that address. A verified account refuses it if "
            "another identity of the provider is linked to the account, or if this one has been unlinked from it. If "
            "no account has the address and `signUpAllowed` of the feature flag is true, the identity gets a new "
            "account. The response has the same shape as that of a login with a password.")
        .message(message)
        .behind_flag(id)
        .may_fail({&errors::sign_up_forbidden, &errors::inactive_forbidden, &errors::email_not_verified,
                   &errors::two_factor_setup_expired})
        .handled_by(
            [&login](const VouchedBy<Provider>& caller, const http::RequestContext& context, LoginSocialRequest body) {
                Origin origin = origin_of(context, body.from, facts_of(Provider).with, body.device);
                SocialRequest request = request_of(std::move(body), context.language);
                return http::reply<LoginResponse>(
                    login.with_social(caller.identity(), std::move(request), std::move(origin), cause_of(context)));
            });
}

}  // namespace

void add_social_endpoints(http::Router& router, Login& login) {
    add_provider<SocialProvider::google>(router, login, "loginWithGoogle", "Log in with Google",
                                         "user.loginWithSocialGoogle");
    add_provider<SocialProvider::apple>(router, login, "loginWithApple", "Log in with Apple",
                                        "user.loginWithSocialApple");
}

}  // namespace consentry
