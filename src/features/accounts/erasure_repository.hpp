// The SQL that erases deleted accounts whose retention has ended. Nothing that names the person remains, except for
// what the person did as an administrator (docs/decisions/0038).
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
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

class ErasureRepository {
public:
    explicit ErasureRepository(storage::Database& database) : database_(database) {}

    // Returns the accounts that may be erased and still have a row, from `after` on. Accounts whose owner is still to
    // be told of the deletion wait, and those of acts that have no entry in the administration log yet.
    awaitable<std::vector<DeletedAccount>> list_due(DeletedAccount after, ErasureTerms terms, std::int64_t limit);
    // Changes one row if the account was not marked as erased yet, otherwise none.
    static void add_mark(storage::Transaction& transaction, UserId user, TimePoint now);
    // Erases the rest of a marked account, up to `portion` rows of each table that may have many, and the account's own
    // row with the last of them. An account that acted on others keeps its row until the activity log has forgotten
    // that; its row then consists of its ID and times.
    static void add_erase(storage::Transaction& transaction, UserId user, std::int64_t portion);

private:
    storage::Database& database_;
};

}  // namespace consentry
