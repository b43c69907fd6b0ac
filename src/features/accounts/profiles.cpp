#include "features/accounts/profiles.hpp"

#include "base/errors.hpp"

namespace consentry {

awaitable<Result<UserProfileResponse>> Profiles::get(UserId user) {
    const auto view = co_await repository_.find(user);
    if (!view) co_return fail(errors::user_not_found);
    const auto factor = view->factor.value_or(AccountView::Factor{});
    co_return UserProfileResponse::of(
        view->profile,
        {.enabled = factor.enabled, .required_setup = factor.required_setup, .confirmed_at = factor.confirmed_at},
        held_of(view->standings));
}

awaitable<std::optional<Profile>> Profiles::find(UserId user) {
    auto view = co_await repository_.find(user);
    if (!view) co_return std::nullopt;
    co_return std::move(view->profile);
}

}  // namespace consentry
