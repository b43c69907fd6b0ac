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
    // Expect::one: the account is still of the generation it was read in; changes nothing. For what happens on the
    // grounds of a grant that no row stands for, such as a challenge.
    static void add_same_generation(storage::Transaction& transaction, const User& seen);
    // The address was proven to be the owner's. Expect::one: there is such an account.
    static void add_verified(storage::Transaction& transaction, UserId id, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
