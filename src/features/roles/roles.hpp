// Roles, and who may change them.
//
// Nobody gives what they do not have: an admin makes, changes and deletes roles only within their own rights, before
// and after the change. So no admin can raise themselves, nor take from those above them; roles of type superAdmin are
// for super admins. A change is that of the stored row, and acts at the next request of everybody who has the role.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/activity/audit.hpp"
#include "features/roles/repository.hpp"
#include "features/users/actor.hpp"

namespace consentry {

struct RoleChange {
    std::optional<std::string> description;
    Rights rights;
};

class Roles {
public:
    // Both outlive this.
    Roles(storage::Database& database, const Clock& clock)
        : database_(database), repository_(database), clock_(clock) {}

    awaitable<Result<RoleRecord>> get(RoleId id);
    // A role by its name, or the built-in one of a type.
    awaitable<std::optional<RoleRecord>> find(std::string name_or_type);
    awaitable<std::optional<Rights>> rights_of(RoleId id);
    awaitable<std::optional<SeenRole>> see(RoleId id);
    awaitable<ListSlice<RoleRecord>> list(ListQuery query) { return repository_.list(std::move(query)); }

    // policyForbidden where the rights of `by` do not reach so far. Each change stands in the log of that account.
    awaitable<Result<RoleRecord>> create(Actor by, std::string name, RoleChange wanted, Cause cause);
    // Built-in roles keep their type. lastSuperAdmin where nobody would be one any more.
    awaitable<Result<RoleRecord>> update(Actor by, RoleId id, RoleChange wanted, Cause cause);
    // roleUsed for one that is built in or somebody's.
    awaitable<Result<void>> erase(Actor by, RoleId id, Cause cause);

private:
    storage::Database& database_;
    RoleRepository repository_;
    const Clock& clock_;
};

}  // namespace consentry
