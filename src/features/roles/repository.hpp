// The SQL of roles.
#pragma once

#include <optional>
#include <string>

#include "features/users/actor.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;

struct RoleRecord {
    RoleId id;
    std::string name;  // lowercase letters and digits
    std::optional<std::string> description;
    Rights rights;
    std::string abilities_text;  // as stored: another program version may format the same abilities differently
    bool is_built_in = false;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;
};

// As stored and logged: [{"subject":"user","action":["read","update"]}], in the order of the enums.
boost::json::array abilities_json(const Abilities& abilities);

class RoleRepository {
public:
    explicit RoleRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<RoleRecord>> find(RoleId id);
    awaitable<std::optional<RoleRecord>> find_by_name(std::string name);
    awaitable<ListSlice<RoleRecord>> list(ListQuery query);
    awaitable<bool> is_used(RoleId id);

    // Expect::one: the name is free.
    static void add_insert(PrivilegedTransaction& transaction, const RoleRecord& role);
    // Both: Expect::one, the role's rights are still those of `seen`.
    static void add_update(PrivilegedTransaction& transaction, const RoleRecord& role, const RoleRecord& seen);
    // Also asserts that the role is not built in and that no account has it.
    static void add_erase(PrivilegedTransaction& transaction, const RoleRecord& seen);
    // For a transaction that assigns the role: it cannot be deleted until the transaction ends. Expect::one: the role
    // exists. Adds nothing for a built-in role, which is never deleted.
    static void add_hold(storage::Transaction& transaction, RoleId id);

private:
    storage::Database& database_;
};

}  // namespace consentry
