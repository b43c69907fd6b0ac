// Ends what was granted to an account.
//
// Each grant records the security version of its account (docs/decisions/0020). Raising the version ends all grants at
// once. Grants to keep must be named; the same transaction moves them to the new version.
#pragma once

#include <optional>
#include <string_view>

#include "base/uuid.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

// What survives a raise of the version, if it was valid under the previous one. Everything else ends.
struct Kept {
    std::optional<SessionId> session = {};  // the session that requests the change
    bool identities = false;                // logins with Google and Apple
    bool devices = false;                   // logins from known devices do not notify the owner
};

class Grants {
public:
    // Add after the statement that raises the version. `reason` is why the sessions ended.
    static void add_end(storage::Transaction& transaction, UserId user, const Kept& kept, std::string_view reason,
                        TimePoint now);
    // Raises the version first, then does the same. Expect::one: fails if the account no longer exists or its version
    // is no longer `expected`.
    static void add_rise(storage::Transaction& transaction, UserId user, std::int64_t expected, const Kept& kept,
                         std::string_view reason, TimePoint now);
    // The same whatever the version is.
    static void add_rise(storage::Transaction& transaction, UserId user, const Kept& kept, std::string_view reason,
                         TimePoint now);
};

}  // namespace consentry
