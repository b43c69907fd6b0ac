#include "features/accounts/profiles.hpp"

#include "base/errors.hpp"

namespace consentry {

awaitable<Result<UserProfileResponse>> Profiles::get(UserId user, std::optional<std::string> policy_state) {
    const auto view = co_await repository_.find(user);
    if (!view) co_return fail(errors::user_not_found);
    const auto held = co_await acceptances_.held(view->accepted, std::move(policy_state));
    const auto factor = view->factor.value_or(AccountView::Factor{});
    co_return UserProfileResponse::of(
        view->profile,
        {.enabled = factor.enabled, .required_setup = factor.required_setup, .confirmed_at = factor.confirmed_at},
        held);
}

awaitable<std::optional<Profile>> Profiles::find(UserId user) {
    auto view = co_await repository_.find(user);
    if (!view) co_return std::nullopt;
    co_return std::move(view->profile);
}

}  // namespace consentry
