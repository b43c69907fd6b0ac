// The part of Acceptances that says which policies accounts have accepted.
#include <algorithm>
#include <utility>

#include "features/acceptances/acceptances.hpp"

namespace consentry {

using storage::awaitable;

awaitable<RequiredVersions> Acceptances::required_versions(std::optional<std::string> state) {
    if (state)
        if (const auto known = required_.find(*state)) co_return *known;
    const RequiredVersions required = co_await repository_.required_versions();
    // Read after the state, so they are at least as new.
    if (state) required_.put(std::move(*state), required);
    co_return required;
}

awaitable<std::vector<PolicyType>> Acceptances::held(PolicyVersions accepted, std::optional<std::string> state) {
    RequiredVersions required = co_await required_versions(std::move(state));
    const bool is_older = std::ranges::any_of(all_policy_types, [&](PolicyType type) {
        const auto& demand = required[static_cast<std::size_t>(type)];
        return accepted[static_cast<std::size_t>(type)] > (demand ? std::optional(demand->latest) : std::nullopt);
    });
    // Something was published between the state and the acceptance.
    if (is_older) required = co_await repository_.required_versions();
    co_return held_of(required, accepted);
}

awaitable<std::map<UserId, std::vector<PolicyType>>> Acceptances::accepted_by(std::vector<UserId> users) {
    const auto found = co_await repository_.standings_of(std::move(users));
    std::map<UserId, std::vector<PolicyType>> out;
    for (const UserStandings& one : found) out.emplace(one.user, held_of(one.standings));
    co_return out;
}

}  // namespace consentry
