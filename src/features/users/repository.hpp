// The SQL of accounts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

class UserRepository {
public:
    explicit UserRepository(storage::Database& database) : database_(database) {}

    // Deleted accounts are not found.
    awaitable<std::optional<User>> find(UserId id);
    awaitable<std::optional<User>> find_by_email(std::string email);
    awaitable<std::optional<Profile>> find_profile(UserId id);
    // In the order of creation, starting after `after`.
    awaitable<std::vector<User>> list(std::optional<UserId> after, std::int64_t limit);

    // On commit: fails on its statement where the address or name is taken. Of the role only `role_id` counts.
    static void add_insert(storage::Transaction& transaction, const User& user, TimePoint now);
    // Raises the security version: what was granted under the former one is worth nothing from this commit on.
    // Changes nothing (Expect::one fails) where the account is gone or its version is not `expected` any more.
    static void add_security_change(storage::Transaction& transaction, UserId id, std::int64_t expected, TimePoint now);
    // The address was proven to be the owner's. Expect::one: there is such an account.
    static void add_verified(storage::Transaction& transaction, UserId id, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
