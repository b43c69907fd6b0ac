#include "features/roles/endpoints.hpp"

#include "features/roles/dto.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using ForReading = Permitted<Subject::role, Action::read>;
using ForCreating = FreshlyPermitted<Subject::role, Action::read, Action::create>;
using ForUpdating = FreshlyPermitted<Subject::role, Action::read, Action::update>;
using ForDeleting = FreshlyPermitted<Subject::role, Action::read, Action::erase>;

std::vector<AbilityDto> to_dto(const Abilities& abilities) {
    std::vector<AbilityDto> out;
    for (const auto& [subject, subject_name] : EnumNames<Subject>::names) {
        AbilityDto one{.subject = subject, .action = {}};
        for (const auto& [action, action_name] : EnumNames<Action>::names)
            if (abilities.name({subject, action})) one.action.push_back(action);
        if (!one.action.empty()) out.push_back(std::move(one));
    }
    return out;
}

Abilities from_dto(const std::vector<AbilityDto>& abilities) {
    Abilities out;
    for (const AbilityDto& ability : abilities)
        for (const Action action : ability.action) out.add({ability.subject, action});
    return out;
}

RoleResponse to_response(const RoleRecord& role) {
    return {RoleFields::of(role), role.description, to_dto(role.rights.abilities)};
}

RoleListResponse to_list_response(const RoleRecord& role) {
    return {RoleFields::of(role), role.rights.abilities.size()};
}

RoleChange change_of(RoleUpdateRequest&& body) {
    return {std::move(body.description), {body.type, from_dto(body.abilities)}};
}

template <http::Paging Mode>
awaitable<Result<http::ListPage<RoleListResponse>>> list(Roles& roles, http::List<RoleListing<Mode>> wanted) {
    return http::reply(
        std::move(wanted), [&roles](const ListQuery& query) { return roles.list(query); }, to_list_response);
}

void add_admin_endpoints(http::Router& router, Roles& roles) {
    using http::FromPath;

    router.get("/admin/role/list")
        .id("listRoles")
        .tag("role")
        .says("List roles")
        .message("role.list")
        .handled_by([&roles](const ForReading&, http::List<RoleListing<http::Paging::offset>> wanted) {
            return list(roles, std::move(wanted));
        });

    router.get("/admin/role/get/:roleId")
        .id("getRole")
        .tag("role")
        .says("Get a role with its abilities")
        .message("role.get")
        .may_fail({&errors::role_not_found})
        .handled_by([&roles](const ForReading&, FromPath<RolePath> path) {
            return http::reply(roles.get(path->role_id), to_response);
        });

    router.post("/admin/role/create")
        .id("createRole")
        .tag("role")
        .says("Create a role")
        .describes("Also requires every ability that the new role receives.")
        .message("role.create")
        .answers(201)
        .may_fail({&errors::role_exist})
        .handled_by([&roles](const ForCreating& caller, const http::RequestContext& context, RoleCreateRequest body) {
            std::string name = std::move(body.name);
            return http::reply(
                roles.create(caller.actor(), std::move(name), change_of(std::move(body)), cause_of(context)),
                to_response);
        });

    router.put("/admin/role/update/:roleId")
        .id("updateRole")
        .tag("role")
        .says("Replace description, type and abilities of a role")
        .describes(
            "Also requires every ability that the role had or receives. Takes effect at the next request of each "
            "user who has the role.")
        .message("role.update")
        .may_fail({&errors::role_not_found, &errors::last_super_admin})
        .handled_by([&roles](const ForUpdating& caller, const http::RequestContext& context, FromPath<RolePath> path,
                             RoleUpdateRequest body) {
            return http::reply(
                roles.update(caller.actor(), path->role_id, change_of(std::move(body)), cause_of(context)),
                to_response);
        });

    router.erase("/admin/role/delete/:roleId")
        .id("deleteRole")
        .tag("role")
        .says("Delete an unused role")
        .describes("Also requires every ability of the role.")
        .may_fail({&errors::role_not_found, &errors::role_used})
        .handled_by([&roles](const ForDeleting& caller, const http::RequestContext& context, FromPath<RolePath> path) {
            return http::reply<http::NoContent>(roles.erase(caller.actor(), path->role_id, cause_of(context)));
        });
}

}  // namespace

void add_role_endpoints(http::Router& router, Roles& roles) {
    add_admin_endpoints(router, roles);

    router.get("/system/role/list")
        .id("listRolesForSystem")
        .tag("role")
        .says("List roles for other services")
        .message("role.list")
        .with_system_key()
        .handled_by(
            [&roles](http::List<RoleListing<http::Paging::cursor>> wanted) { return list(roles, std::move(wanted)); });

    router.get("/system/role/get/:roleId/abilities")
        .id("getRoleAbilities")
        .tag("role")
        .says("Get the abilities of a role for other services")
        .describes("A role of type `superAdmin` may do everything; its list is empty.")
        .message("role.getAbilities")
        .with_system_key()
        .may_fail({&errors::role_not_found})
        .handled_by([&roles](http::FromPath<RolePath> path) {
            return http::reply(roles.get(path->role_id), [](const RoleRecord& role) {
                return RoleAbilitiesResponse{to_dto(role.rights.abilities)};
            });
        });
}

}  // namespace consentry
