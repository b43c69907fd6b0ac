#include "features/accounts/profiles.hpp"

#include "base/errors.hpp"

namespace consentry {

awaitable<Result<UserProfileResponse>> Profiles::get(UserId user) {
    const auto profile = co_await users_.find_profile(user);
    if (!profile) co_return fail(errors::user_not_found);
    const auto factor = co_await two_factor_.state(user);
    const auto accepted = co_await consents_.accepted(user);
    co_return UserProfileResponse::of(
        *profile,
        {.enabled = factor.enabled, .required_setup = factor.required_setup, .confirmed_at = factor.confirmed_at},
        accepted);
}

}  // namespace consentry
