#include "features/administration/endpoints.hpp"

#include "features/administration/dto.hpp"
#include "features/administration/transfer.hpp"
#include "features/users/caller.hpp"
#include "features/users/username.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using http::Done;
using http::FromPath;
using http::RequestContext;
using ForReading = Permitted<Subject::user, Action::read>;
using ForCreating = FreshlyPermitted<Subject::user, Action::read, Action::create>;
using ForUpdating = Permitted<Subject::user, Action::read, Action::update>;
using ForRoles = FreshlyPermitted<Subject::user, Action::read, Action::update, Subject::role, Action::read>;
using ForSessions = Permitted<Subject::user, Action::read, Subject::session, Action::read>;
using ForRevoking = Permitted<Subject::user, Action::read, Subject::session, Action::read, Action::erase>;

template <class Caller>
Administrator administrator(const Caller& caller, const RequestContext& context) {
    return {.actor = caller.actor(), .cause = cause_of(context)};
}

template <class Listing>
awaitable<Result<http::ListPage<UserListResponse>>> list(Administration& administration, Consents& consents,
                                                         http::List<Listing> wanted) {
    const auto found = co_await administration.users(wanted.query());
    std::vector<UserId> users;
    users.reserve(found.items.size());
    for (const ListedUser& listed : found.items) users.push_back(listed.user.id);
    auto accepted = co_await consents.accepted_by(std::move(users));
    co_return wanted.page(
        found, [&](const ListedUser& listed) { return UserListResponse::of(listed, accepted[listed.user.id]); });
}

void add_reading(http::Router& router, Administration& administration, Profiles& profiles, Consents& consents) {
    router.get("/admin/user/list")
        .id("listUsers")
        .tag("admin")
        .says("List accounts")
        .describes(
            "`search` looks in name, username and email. `count` stops at 10000 and `page` at 20; filter or search to "
            "reach accounts beyond that.")
        .message("user.list")
        .handled_by([&administration, &consents](const ForReading&, http::List<UserListing> wanted) {
            return list(administration, consents, std::move(wanted));
        });

    router.get("/admin/user/get/:userId")
        .id("getUser")
        .tag("admin")
        .says("Get an account")
        .describes("Returns the same profile that the account owner sees.")
        .message("user.get")
        .may_fail({&errors::user_not_found})
        .handled_by([&profiles](const ForReading&, FromPath<AccountPath> path) { return profiles.get(path->user_id); });

    router.get("/admin/user/:userId/session/list")
        .id("listSessionsOfUser")
        .tag("admin")
        .says("List the sessions of an account")
        .describes("Includes ended sessions.")
        .message("session.listAll")
        .may_fail({&errors::user_not_found})
        .handled_by(
            [&administration](const ForSessions&, FromPath<AccountPath> path, http::List<UserSessionListing> wanted) {
                return http::reply(
                    std::move(wanted),
                    [&administration, user = path->user_id](const ListQuery& query) {
                        return administration.sessions(user, query);
                    },
                    UserSessionResponse::of);
            });
}

void add_creation(http::Router& router, Administration& administration) {
    router.post("/admin/user/create")
        .id("createUser")
        .tag("admin")
        .says("Create an account")
        .describes(
            "Also requires every ability of the assigned role. Emails a temporary password to the address. The account "
            "counts as verified, because only a reader of that mailbox can use the password.")
        .message("user.create")
        .answers(201)
        .may_fail({&errors::role_not_found, &errors::role_forbidden, &errors::email_exist})
        .handled_by(
            [&administration](const ForCreating& caller, const RequestContext& context, UserCreateRequest body) {
                return http::reply<UserCreateResponse>(administration.create(
                    administrator(caller, context), {.email = std::move(body.email),
                                                     .role = body.role_id,
                                                     .name = std::move(body.name),
                                                     .language = body.language.value_or(context.language)}));
            });
}

void add_changing(http::Router& router, Administration& administration) {
    router.patch("/admin/user/update/:userId/status")
        .id("updateUserStatus")
        .tag("admin")
        .says("Activate, deactivate or block an account")
        .describes(
            "An account that stops being `active` loses all sessions; one that becomes `active` again starts with no "
            "failed password attempts. Only the operator can unblock a blocked account.")
        .message("user.updateStatus")
        .may_fail({&errors::user_not_self, &errors::user_not_found, &errors::blocked_invalid, &errors::role_forbidden,
                   &errors::last_super_admin})
        .handled_by([&administration](const ForUpdating& caller, const RequestContext& context,
                                      FromPath<AccountPath> path, UserStatusRequest body) {
            return http::reply<Done>(
                administration.set_status(administrator(caller, context), path->user_id, body.status));
        });

    router.put("/admin/user/update/:userId/role")
        .id("updateUserRole")
        .tag("admin")
        .says("Change the role of an account")
        .describes("Also requires every ability of both the old and the new role. Ends all sessions of the account.")
        .message("user.updateRole")
        .may_fail({&errors::user_not_self, &errors::user_not_found, &errors::blocked_invalid, &errors::role_not_found,
                   &errors::role_forbidden, &errors::last_super_admin})
        .handled_by([&administration](const ForRoles& caller, const RequestContext& context, FromPath<AccountPath> path,
                                      UserRoleRequest body) {
            return http::reply<Done>(
                administration.set_role(administrator(caller, context), path->user_id, body.role_id));
        });

    router.put("/admin/user/update/:userId/password")
        .id("updateUserPassword")
        .tag("admin")
        .says("Send a temporary password")
        .describes(
            "Emails a temporary password to the account owner and shows it to no one else. Ends all sessions. Until "
            "the owner sets a new password, the account can only change its password and log out. If the owner never "
            "verified the address, the account now counts as verified, because only a reader of that mailbox can use "
            "the password. It loses its linked identities, its second factor and its acceptances.")
        .message("user.updatePassword")
        .may_fail({&errors::user_not_self, &errors::user_not_found, &errors::blocked_invalid, &errors::role_forbidden})
        .handled_by(
            [&administration](const ForUpdating& caller, const RequestContext& context, FromPath<AccountPath> path) {
                return http::reply<Done>(
                    administration.give_temporary_password(administrator(caller, context), path->user_id));
            });
}

void add_revocation(http::Router& router, Administration& administration) {
    router.erase("/admin/user/:userId/session/revoke/:sessionId")
        .id("revokeSessionOfUser")
        .tag("admin")
        .says("Revoke a session of an account")
        .describes("The tokens of the session stop working immediately.")
        .may_fail({&errors::user_not_found, &errors::session_not_found, &errors::role_forbidden})
        .handled_by([&administration](const ForRevoking& caller, const RequestContext& context,
                                      FromPath<UserSessionPath> path) {
            return http::reply<http::NoContent>(
                administration.revoke(administrator(caller, context), path->user_id, path->session_id));
        });
}

void add_transfers(http::Router& router, Administration& administration, UserImport& import) {
    router.post("/admin/user/export")
        .id("exportUsers")
        .tag("admin")
        .says("Export accounts as CSV")
        .describes(
            "The columns are those that an import takes, separated by `;`, without credentials. Fields that a "
            "spreadsheet would run as a formula start with a quote, which an import removes. The response is streamed: "
            "without its last chunk it is incomplete.")
        .answers_with("text/csv")
        .exports_data()
        .may_fail({&errors::filter_invalid_value})
        .handled_by([&administration](const ForReading& caller, const RequestContext& context,
                                      http::FromQuery<UserExportQuery> wanted) {
            return export_table(administration, administrator(caller, context), std::move(wanted.value), context.now);
        });

    router.post("/admin/user/import")
        .id("importUsers")
        .tag("admin")
        .says("Import accounts from CSV")
        .describes(
            "Also requires every ability of the assigned roles. Imports all rows, or none if any row is invalid; at "
            "most 1000 rows. The first line names the columns: `email`, and any of `name`, `username`, `role`, "
            "`status`, `isVerified`, `language` and `createdAt`. `errors` lists invalid rows, each with its number, "
            "from "
            "0. `data.emails` lists addresses that already have an account. Imported accounts have no "
            "password; their owners set one through the password reset link.")
        .message("user.import")
        .may_fail({&errors::file_unreadable, &errors::file_too_many_rows, &errors::file_validation,
                   &errors::import_email_exist})
        .handled_by([&import](const ForCreating& caller, const RequestContext& context,
                              http::FromQuery<UserImportQuery> wanted, http::Upload file) {
            return import_table(import, administrator(caller, context), wanted->dry_run.value_or(false), file);
        });
}

void add_for_systems(http::Router& router, Administration& administration, Consents& consents) {
    router.get("/system/user/list")
        .id("listUsersForSystem")
        .tag("user")
        .says("List accounts for other services")
        .message("user.list")
        .with_system_key()
        .handled_by([&administration, &consents](http::List<SystemUserListing> wanted) {
            return list(administration, consents, std::move(wanted));
        });

    router.post("/system/user/check/username")
        .id("checkUsername")
        .tag("user")
        .says("Check a username")
        .describes("Tells whether the username is well-formed and whether it is taken.")
        .message("user.checkUsername")
        .with_system_key()
        .handled_by([&administration](CheckUsernameRequest body) {
            return http::reply(administration.has_username(body.username),
                               [pattern = !has_username_characters(body.username)](bool exists) {
                                   return CheckUsernameResponse{.exist = exists, .pattern = pattern};
                               });
        });

    router.post("/system/user/check/email")
        .id("checkEmail")
        .tag("user")
        .says("Check an email address")
        .describes("Tells whether an account has this address.")
        .message("user.checkEmail")
        .with_system_key()
        .handled_by([&administration](CheckEmailRequest body) {
            return http::reply(administration.has_email(std::move(body.email)),
                               [](bool exists) { return CheckEmailResponse{.exist = exists}; });
        });
}

}  // namespace

void add_administration_endpoints(http::Router& router, Administration& administration, Profiles& profiles,
                                  Consents& consents, UserImport& import) {
    add_reading(router, administration, profiles, consents);
    add_creation(router, administration);
    add_changing(router, administration);
    add_revocation(router, administration);
    add_transfers(router, administration, import);
    add_for_systems(router, administration, consents);
}

}  // namespace consentry
