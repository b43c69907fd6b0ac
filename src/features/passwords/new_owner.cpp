#include "features/passwords/new_owner.hpp"

#include <utility>

#include "features/two_factor/repository.hpp"
#include "features/users/repository.hpp"

namespace consentry {

storage::awaitable<TimePoint> add_new_owner(storage::Transaction& transaction, Consents& consents, User seen,
                                            Cause cause, Asker asker, TimePoint now) {
    if (seen.is_verified) co_return now;
    // The owner may prove it meanwhile, and what they then have is not erased.
    UserRepository::add_verified_first(transaction, seen.id, now);
    Audit::add(transaction, seen.id, ActivityAction::user_verified_email, cause, now);
    if (may_be_strangers(seen)) UserRepository::add_erase_details(transaction, seen.id);
    UserRepository::add_erase_identities(transaction, seen.id);
    TwoFactorRepository::add_erase(transaction, seen.id);
    GivenConsent withdrawn{.user = seen.id, .types = {all_policy_types.begin(), all_policy_types.end()}};
    if (asker == Asker::owner && cause.origin) {
        withdrawn.ip_address = std::move(cause.origin->address);
        withdrawn.user_agent = std::move(cause.origin->user_agent);
    }
    co_return co_await consents.add_withdrawals(transaction, std::move(withdrawn), now);
}

}  // namespace consentry
