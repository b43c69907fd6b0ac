// Roles, and who may change them.
//
// No admin grants rights they lack. Admins create, change and delete roles only within their own rights, both before
// and after the change. So no admin can raise their own rights or reduce those of a superior. Roles of type superAdmin
// are reserved for super admins. A change updates the stored row and takes effect at the next request of every account
// that has the role.
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
    // Both arguments must outlive this.
    Roles(storage::Database& database, const Clock& clock)
        : database_(database), repository_(database), clock_(clock) {}

    awaitable<Result<RoleRecord>> get(RoleId id);
    // Finds a role by its name, or the built-in role of a type.
    awaitable<std::optional<RoleRecord>> find(std::string name_or_type);
    awaitable<std::optional<Rights>> rights_of(RoleId id);
    awaitable<std::optional<SeenRole>> see(RoleId id);
    awaitable<ListSlice<RoleRecord>> list(ListQuery query) { return repository_.list(std::move(query)); }

    // Error: policyForbidden if the rights of `by` do not suffice. Every change is recorded in the activity log of
    // `by`.
    awaitable<Result<RoleRecord>> create(Actor by, std::string name, RoleChange wanted, Cause cause);
    // Built-in roles keep their type. Error: lastSuperAdmin if no super admin would remain.
    awaitable<Result<RoleRecord>> update(Actor by, RoleId id, RoleChange wanted, Cause cause);
    // Error: roleUsed if the role is built in or assigned to an account.
    awaitable<Result<void>> erase(Actor by, RoleId id, Cause cause);

private:
    storage::Database& database_;
    RoleRepository repository_;
    const Clock& clock_;
};

}  // namespace consentry
