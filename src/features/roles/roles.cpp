#include "features/roles/roles.hpp"

#include "base/errors.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

// Each retry means that a concurrent change of the role committed between a read and a write.
constexpr int tries_max = 8;

// With the rights, so that the log tells what a holder could do in between even if a later change takes it back.
boost::json::object facts_of(const RoleRecord& role) {
    return {{"roleId", role.id.text()},
            {"roleName", role.name},
            {"type", name_of(role.rights.type)},
            {"abilities", abilities_json(role.rights.abilities)}};
}

boost::json::object facts_of_change(const RoleRecord& role, const Rights& before) {
    boost::json::object out = facts_of(role);
    out["typeBefore"] = name_of(before.type);
    out["abilitiesBefore"] = abilities_json(before.abilities);
    return out;
}

}  // namespace

awaitable<Result<RoleRecord>> Roles::get(RoleId id) {
    auto role = co_await repository_.find(id);
    if (!role) co_return fail(errors::role_not_found);
    co_return std::move(*role);
}

awaitable<std::optional<RoleRecord>> Roles::find(std::string name_or_type) {
    if (const auto type = find_enum<Role>(name_or_type)) return repository_.find(built_in_role(*type));
    return repository_.find_by_name(to_lower_ascii(name_or_type));
}

awaitable<std::optional<Rights>> Roles::rights_of(RoleId id) {
    const auto role = co_await repository_.find(id);
    if (!role) co_return std::nullopt;
    co_return role->rights;
}

awaitable<std::optional<SeenRole>> Roles::see(RoleId id) {
    auto role = co_await repository_.find(id);
    if (!role) co_return std::nullopt;
    co_return SeenRole{role->rights, std::move(role->abilities_text)};
}

awaitable<Result<RoleRecord>> Roles::create(Actor by, std::string name, RoleChange wanted, Cause cause) {
    if (!by.rights().include(wanted.rights)) co_return fail(errors::policy_forbidden);
    const TimePoint now = clock_.now();
    RoleRecord role;
    role.id = RoleId::make(now);
    role.name = std::move(name);
    role.description = std::move(wanted.description);
    role.rights = wanted.rights;
    role.created_at = now;
    role.created_by = by.user();
    role.updated_at = now;
    role.updated_by = by.user();
    PrivilegedTransaction transaction(by, now);
    RoleRepository::add_insert(transaction, role);
    Audit::add_by(transaction, by, ActivityAction::admin_role_create, cause, now, facts_of(role));
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::role_exist);
    co_return role;
}

// The update applies only if the rights are still those that were checked. Otherwise every check is repeated.
awaitable<Result<RoleRecord>> Roles::update(Actor by, RoleId id, RoleChange wanted, Cause cause) {
    for (int i = 0; i < tries_max; ++i) {
        const auto seen = co_await repository_.find(id);
        if (!seen) co_return fail(errors::role_not_found);
        if (!by.rights().include(seen->rights) || !by.rights().include(wanted.rights))
            co_return fail(errors::policy_forbidden);
        if (seen->is_built_in && wanted.rights.type != seen->rights.type) co_return fail(errors::policy_forbidden);
        RoleRecord role = *seen;
        role.description = wanted.description;
        role.rights = wanted.rights;
        role.updated_at = clock_.now();
        role.updated_by = by.user();
        const bool demotes = seen->rights.type == Role::super_admin && wanted.rights.type != Role::super_admin;
        PrivilegedTransaction transaction(by, role.updated_at);
        if (demotes) SuperAdmins::add_lock(transaction);
        RoleRepository::add_update(transaction, role, *seen);
        Audit::add_by(transaction, by, ActivityAction::admin_role_update, cause, role.updated_at,
                      facts_of_change(role, seen->rights));
        const std::size_t changes = transaction.size();
        if (demotes) SuperAdmins::add_remains(transaction);
        auto outcome = co_await std::move(transaction).commit(database_);
        if (!outcome) co_return fail(std::move(outcome.error()));
        if (outcome->committed) co_return role;
        if (outcome->failed_at == changes) co_return fail(errors::last_super_admin);
    }
    throw Unavailable("changing a role: it kept changing");
}

awaitable<Result<void>> Roles::erase(Actor by, RoleId id, Cause cause) {
    for (int i = 0; i < tries_max; ++i) {
        const auto role = co_await repository_.find(id);
        if (!role) co_return fail(errors::role_not_found);
        if (!by.rights().include(role->rights)) co_return fail(errors::policy_forbidden);
        if (role->is_built_in) co_return fail(errors::role_used);
        const TimePoint now = clock_.now();
        PrivilegedTransaction transaction(by, now);
        RoleRepository::add_erase(transaction, *role);
        Audit::add_by(transaction, by, ActivityAction::admin_role_delete, cause, now, facts_of(*role));
        auto outcome = co_await std::move(transaction).commit(database_);
        if (!outcome) co_return fail(std::move(outcome.error()));
        if (outcome->committed) co_return Result<void>{};
        const bool used = co_await repository_.is_used(id);
        if (used) co_return fail(errors::role_used);
    }
    throw Unavailable("deleting a role: it kept changing");
}

}  // namespace consentry
