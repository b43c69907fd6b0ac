#include "features/roles/roles.hpp"

#include "base/errors.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

// Each is lost to somebody who changed the same role within a read and a write.
constexpr int tries_max = 8;

boost::json::object facts_of(const RoleRecord& role) { return {{"roleId", role.id.text()}, {"roleName", role.name}}; }

}  // namespace

awaitable<Result<RoleRecord>> Roles::get(RoleId id) {
    auto role = co_await repository_.find(id);
    if (!role) co_return fail(errors::role_not_found);
    co_return std::move(*role);
}

awaitable<std::optional<RoleRecord>> Roles::find(std::string name_or_type) {
    if (const auto type = http::find_enum<Role>(name_or_type)) return repository_.find(built_in_role(*type));
    return repository_.find_by_name(to_lower_ascii(name_or_type));
}

awaitable<std::optional<Rights>> Roles::rights_of(RoleId id) {
    const auto role = co_await repository_.find(id);
    if (!role) co_return std::nullopt;
    co_return role->rights;
}

awaitable<Result<RoleRecord>> Roles::create(Rights own, UserId by, std::string name, RoleChange wanted, Cause cause) {
    if (!own.include(wanted.rights)) co_return fail(errors::policy_forbidden);
    const TimePoint now = clock_.now();
    RoleRecord role;
    role.id = RoleId::make(now);
    role.name = std::move(name);
    role.description = std::move(wanted.description);
    role.rights = wanted.rights;
    role.created_at = now;
    role.created_by = by;
    role.updated_at = now;
    role.updated_by = by;
    storage::Transaction transaction;
    RoleRepository::add_insert(transaction, role);
    Audit::add(transaction, by, ActivityAction::admin_role_create, cause, now, facts_of(role));
    const bool inserted = co_await repository_.commit(std::move(transaction));
    if (!inserted) co_return fail(errors::role_exist);
    co_return role;
}

// A statement takes effect only on the rights that were looked at; where somebody was faster, all is asked again.
awaitable<Result<RoleRecord>> Roles::update(Rights own, UserId by, RoleId id, RoleChange wanted, Cause cause) {
    for (int i = 0; i < tries_max; ++i) {
        const auto seen = co_await repository_.find(id);
        if (!seen) co_return fail(errors::role_not_found);
        if (!own.include(seen->rights) || !own.include(wanted.rights)) co_return fail(errors::policy_forbidden);
        if (seen->is_built_in && wanted.rights.type != seen->rights.type) co_return fail(errors::policy_forbidden);
        RoleRecord role = *seen;
        role.description = wanted.description;
        role.rights = wanted.rights;
        role.updated_at = clock_.now();
        role.updated_by = by;
        storage::Transaction transaction;
        RoleRepository::add_update(transaction, role, *seen);
        Audit::add(transaction, by, ActivityAction::admin_role_update, cause, role.updated_at, facts_of(role));
        const bool updated = co_await repository_.commit(std::move(transaction));
        if (updated) co_return role;
    }
    throw Unavailable("changing a role: others change it all the time");
}

awaitable<Result<void>> Roles::erase(Rights own, UserId by, RoleId id, Cause cause) {
    for (int i = 0; i < tries_max; ++i) {
        const auto role = co_await repository_.find(id);
        if (!role) co_return fail(errors::role_not_found);
        if (!own.include(role->rights)) co_return fail(errors::policy_forbidden);
        if (role->is_built_in) co_return fail(errors::role_used);
        storage::Transaction transaction;
        RoleRepository::add_erase(transaction, *role);
        Audit::add(transaction, by, ActivityAction::admin_role_delete, cause, clock_.now(), facts_of(*role));
        const bool erased = co_await repository_.commit(std::move(transaction));
        if (erased) co_return Result<void>{};
        const bool used = co_await repository_.is_used(id);
        if (used) co_return fail(errors::role_used);
    }
    throw Unavailable("deleting a role: others change it all the time");
}

}  // namespace consentry
