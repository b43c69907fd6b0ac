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
    std::string name;  // small letters and digits
    std::optional<std::string> description;
    Rights rights;
    std::string abilities_text;  // as it was read: another program may have written the same abilities otherwise
    bool is_built_in = false;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;
};

class RoleRepository {
public:
    explicit RoleRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<RoleRecord>> find(RoleId id);
    awaitable<std::optional<RoleRecord>> find_by_name(std::string name);
    awaitable<ListSlice<RoleRecord>> list(ListQuery query);
    awaitable<bool> is_used(RoleId id);

    // Expect::one: there is none of this name yet.
    static void add_insert(PrivilegedTransaction& transaction, const RoleRecord& role);
    // Expect::one, of both: the role's rights are still those of `seen`.
    static void add_update(PrivilegedTransaction& transaction, const RoleRecord& role, const RoleRecord& seen);
    // And it is neither built in nor anybody's.
    static void add_erase(PrivilegedTransaction& transaction, const RoleRecord& seen);

private:
    storage::Database& database_;
};

}  // namespace consentry
