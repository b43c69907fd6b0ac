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

    // The find functions skip deleted accounts.
    awaitable<std::optional<User>> find(UserId id);
    awaitable<std::optional<User>> find_by_email(std::string email);
    // In creation order, starting after `after`.
    awaitable<std::vector<User>> list(std::optional<UserId> after, std::int64_t limit);

    // The statement fails on commit if the address or user name is taken. Ignores `user.role`; stores only `role_id`.
    static void add_insert(storage::Transaction& transaction, const User& user, TimePoint now);
    // Locks the account's row. What follows sees all that changes before it committed: a statement of PostgreSQL that
    // waits for a session's row meanwhile compares the new session with the account from before. Expect::any.
    static void add_lock(storage::Transaction& transaction, UserId id);
    // Asserts that the account is still of the generation in which it was read; changes nothing. For changes that rest
    // on a grant without a database row, such as a challenge. Expect::one.
    static void add_same_generation(storage::Transaction& transaction, const User& seen);
    // Marks the address as proven to be the owner's. Expect::one: the account exists.
    static void add_verified(storage::Transaction& transaction, UserId id, TimePoint now);
    // The same, if it was not proven yet. Expect::one.
    static void add_verified_first(storage::Transaction& transaction, UserId id, TimePoint now);
    // Erases name and gender.
    static void add_erase_details(storage::Transaction& transaction, UserId id);
    // Deletes all identities at providers, also the memory of those that were unlinked: the account has lost its owner.
    static void add_erase_identities(storage::Transaction& transaction, UserId id);

private:
    storage::Database& database_;
};

}  // namespace consentry
