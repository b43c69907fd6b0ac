// The history of acceptances and withdrawals, as their account reads it.
#include "features/acceptances/acceptances.hpp"

namespace consentry {

storage::awaitable<ListSlice<AcceptanceResponse>> Acceptances::list(UserId user, ListQuery query) {
    const auto found = co_await repository_.list(user, std::move(query));
    std::vector<TermPolicyId> ids;
    ids.reserve(found.items.size());
    for (const Acceptance& acceptance : found.items) ids.push_back(acceptance.policy);
    const auto policies = co_await repository_.find_published(std::move(ids));
    const auto account = co_await repository_.find_account(user);
    if (!account) throw Unavailable("list of acceptances: the account was deleted at the same moment");
    const auto shown_user = UserListResponse::of(account->profile, held_of(account->standings));
    ListSlice<AcceptanceResponse> out{.items = {}, .has_more = found.has_more, .count = found.count, .end = found.end};
    for (const Acceptance& acceptance : found.items)
        out.items.push_back(AcceptanceResponse::of(
            acceptance, shown_user,
            TermPolicyResponse::of(policies.at(acceptance.policy), settings_.paths, store_, false)));
    co_return out;
}

}  // namespace consentry
