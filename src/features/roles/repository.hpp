// The SQL of roles.
#pragma once

#include <optional>
#include <string>

#include "features/users/abilities.hpp"
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

    // false: there is one of this name already.
    awaitable<bool> insert(RoleRecord role);
    // Both hold only for a role whose rights are still those of `seen`; else they change nothing and return false.
    awaitable<bool> update(RoleRecord role, RoleRecord seen);
    // Also false for one that is built in or somebody's.
    awaitable<bool> erase(RoleRecord seen);

private:
    storage::Database& database_;
};

}  // namespace consentry
