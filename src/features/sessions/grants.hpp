// What was granted to an account, and its end.
//
// A grant names the security version of its account (docs/decisions/0020). Raising the version ends them all at once;
// what is to stay good is moved on to the new version by the same transaction, and has to be named.
#pragma once

#include <optional>
#include <string_view>

#include "base/uuid.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

// What stays good when the version rises: of this, what was good under the version before. Nothing else does.
struct Kept {
    std::optional<SessionId> session = {};  // the one that asks for the change
    bool identities = false;                // logins with Google and Apple
    bool devices = false;                   // a login there is no news to the owner
};

class Grants {
public:
    // To be added behind the statement that raises the version. `reason`: why the sessions ended.
    static void add_end(storage::Transaction& transaction, UserId user, const Kept& kept, std::string_view reason,
                        TimePoint now);
    // The same, with the rise itself first. Expect::one fails where the account is gone, or its version is not
    // `expected` any more.
    static void add_rise(storage::Transaction& transaction, UserId user, std::int64_t expected, const Kept& kept,
                         std::string_view reason, TimePoint now);
};

}  // namespace consentry
