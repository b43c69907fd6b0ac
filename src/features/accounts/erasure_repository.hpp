// The SQL that erases deleted accounts whose retention has ended. Nothing that names the person remains, except for
// what the person did as an administrator (docs/decisions/0038).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "features/activity/acts.hpp"
#include "features/activity/repository.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// In the order in which the accounts were deleted.
struct DeletedAccount {
    UserId id;
    TimePoint deleted_at;
};

struct ErasureTerms {
    TimePoint deleted_before;
    bool acts_are_logged = false;  // no act waits for a log that is off
};

// Rows that no index has in an order of its own, so that they are looked up for many portions at once.
struct ListedForErasure {
    std::span<const ActId> acts;
    std::span<const ActivityId> on_others;  // entries in the activity logs of others
};

class ErasureRepository {
public:
    explicit ErasureRepository(storage::Database& database) : database_(database) {}

    // Returns the accounts that may be erased and still have a row, from `after` on. Accounts whose owner is still to
    // be told of the deletion wait, and those of acts that have no entry in the administration log yet.
    awaitable<std::vector<DeletedAccount>> list_due(DeletedAccount after, ErasureTerms terms, std::int64_t limit);
    // Changes one row if the account was not marked as erased yet, otherwise none.
    static void add_mark(storage::Transaction& transaction, UserId user, TimePoint now);
    // Up to `limit` entries in the activity logs of others that still tell from where the account acted, in no order.
    awaitable<std::vector<ActivityId>> list_on_others(UserId user, std::int64_t limit);
    // Erases the rest of a marked account: the acts of `listed`, the origins of what it did to others, up to `portion`
    // rows of each other table that may have many, and the account's own row with the last of them. An account that
    // acted on others keeps its row until the activity log has forgotten that; its row then consists of its ID and
    // times.
    static void add_erase(storage::Transaction& transaction, UserId user, std::int64_t portion,
                          const ListedForErasure& listed);

private:
    storage::Database& database_;
};

}  // namespace consentry
