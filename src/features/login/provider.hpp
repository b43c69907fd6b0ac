// The identity providers that the service trusts, and their names in paths, the database and the API document.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/errors.hpp"
#include "features/activity/actions.hpp"
#include "features/users/user.hpp"

namespace consentry {

enum class SocialProvider { google, apple };
inline constexpr std::array all_social_providers{SocialProvider::google, SocialProvider::apple};

struct SocialProviderFacts {
    std::string_view name;  // in paths, the database and the API document
    std::string_view owner;
    LoginWith with;
    ActivityAction login;
    ActivityAction join;
    const ErrorKind& required;  // no token was sent
    const ErrorKind& invalid;   // the token does not permit a login
    std::string_view login_flag;
    std::string_view sign_up_flag;
};

inline constexpr SocialProviderFacts google_facts{.name = "google",
                                                  .owner = "Google",
                                                  .with = LoginWith::social_google,
                                                  .login = ActivityAction::user_login_google,
                                                  .join = ActivityAction::user_join_google,
                                                  .required = errors::social_google_required,
                                                  .invalid = errors::social_google_invalid,
                                                  .login_flag = "loginWithGoogle",
                                                  .sign_up_flag = "loginWithGoogle.signUpAllowed"};
inline constexpr SocialProviderFacts apple_facts{.name = "apple",
                                                 .owner = "Apple",
                                                 .with = LoginWith::social_apple,
                                                 .login = ActivityAction::user_login_apple,
                                                 .join = ActivityAction::user_join_apple,
                                                 .required = errors::social_apple_required,
                                                 .invalid = errors::social_apple_invalid,
                                                 .login_flag = "loginWithApple",
                                                 .sign_up_flag = "loginWithApple.signUpAllowed"};

constexpr const SocialProviderFacts& facts_of(SocialProvider provider) {
    return provider == SocialProvider::google ? google_facts : apple_facts;
}

// Returns nullopt for a login with a password.
constexpr std::optional<SocialProvider> provider_of(LoginWith with) {
    if (with == LoginWith::social_google) return SocialProvider::google;
    if (with == LoginWith::social_apple) return SocialProvider::apple;
    return std::nullopt;
}

}  // namespace consentry
