#include "features/administration/endpoints.hpp"

#include <algorithm>

#include "features/administration/dto.hpp"
#include "features/administration/transfer.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using http::Done;
using http::FromPath;
using http::RequestContext;
using ForReading = Permitted<Subject::user, Action::read>;
using ForCreating = Permitted<Subject::user, Action::read, Action::create>;
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
    for (const ListedUser& user : found.items) users.push_back(user.id);
    auto accepted = co_await consents.accepted_by(std::move(users));
    co_return wanted.page(found, [&](const ListedUser& user) { return UserListResponse::of(user, accepted[user.id]); });
}

awaitable<Result<UserCreateResponse>> create(Administration& administration, Administrator by, WantedUser wanted) {
    auto id = co_await administration.create(std::move(by), std::move(wanted));
    if (!id) co_return fail(std::move(id.error()));
    co_return UserCreateResponse{*id};
}

awaitable<Result<Done>> done(awaitable<Result<void>> change) {
    auto changed = co_await std::move(change);
    if (!changed) co_return fail(std::move(changed.error()));
    co_return Done{};
}

awaitable<Result<http::NoContent>> revoke(Administration& administration, Administrator by, UserId user,
                                          SessionId session) {
    auto revoked = co_await administration.revoke(std::move(by), user, session);
    if (!revoked) co_return fail(std::move(revoked.error()));
    co_return http::NoContent{};
}

awaitable<Result<http::ListPage<UserSessionResponse>>> sessions(Administration& administration, UserId user,
                                                                http::List<UserSessionListing> wanted) {
    const auto found = co_await administration.sessions(user, wanted.query());
    if (!found) co_return fail(Error{found.error().kind()});
    co_return wanted.page(*found, UserSessionResponse::of);
}

awaitable<Result<CheckUsernameResponse>> check_username(Administration& administration, std::string username) {
    const bool is_plain = std::ranges::all_of(
        username, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; });
    const bool exists = co_await administration.has_username(std::move(username));
    co_return CheckUsernameResponse{.exist = exists, .pattern = !is_plain};
}

awaitable<Result<CheckEmailResponse>> check_email(Administration& administration, std::string email) {
    const bool exists = co_await administration.has_email(std::move(email));
    co_return CheckEmailResponse{.exist = exists};
}

void add_reading(http::Router& router, Administration& administration, Profiles& profiles, Consents& consents) {
    router.get("/admin/user/list")
        .id("listUsers")
        .tag("admin")
        .says("All accounts")
        .describes(
            "Needs user:read. Searched in name, username and email. Counts stop at 10000, pages at 20: beyond that, "
            "narrow the list.")
        .message("user.list")
        .handled_by([&administration, &consents](const ForReading&, http::List<UserListing> wanted) {
            return list(administration, consents, std::move(wanted));
        });

    router.get("/admin/user/get/:userId")
        .id("getUser")
        .tag("admin")
        .says("One account, as its owner sees it")
        .describes("Needs user:read.")
        .message("user.get")
        .may_fail({&errors::user_not_found})
        .handled_by([&profiles](const ForReading&, FromPath<AccountPath> path) { return profiles.get(path->user_id); });

    router.get("/admin/user/:userId/session/list")
        .id("listSessionsOfUser")
        .tag("admin")
        .says("The sessions of an account, those that are over too")
        .describes("Needs user:read and session:read.")
        .message("session.list")
        .may_fail({&errors::user_not_found})
        .handled_by(
            [&administration](const ForSessions&, FromPath<AccountPath> path, http::List<UserSessionListing> wanted) {
                return sessions(administration, path->user_id, std::move(wanted));
            });
}

void add_changing(http::Router& router, Administration& administration) {
    router.post("/admin/user/create")
        .id("createUser")
        .tag("admin")
        .says("Makes an account and mails it a temporary password")
        .describes(
            "Needs user:read and user:create, and every right of the role. The account is verified: only who reads "
            "the mails of the address can use the password.")
        .message("user.create")
        .answers(201)
        .may_fail({&errors::role_not_found, &errors::role_forbidden, &errors::email_exist})
        .handled_by(
            [&administration](const ForCreating& caller, const RequestContext& context, UserCreateRequest body) {
                return create(administration, administrator(caller, context),
                              {.email = std::move(body.email),
                               .role = body.role_id,
                               .name = std::move(body.name),
                               .language = body.language.value_or(context.language)});
            });

    router.patch("/admin/user/update/:userId/status")
        .id("updateUserStatus")
        .tag("admin")
        .says("Lets an account in, shuts it out, or blocks it for good")
        .describes(
            "Needs user:read and user:update. Leaving active ends all sessions; coming back to it clears the count of "
            "wrong passwords. blocked is final.")
        .message("user.updateStatus")
        .may_fail({&errors::user_not_self, &errors::user_not_found, &errors::blocked_invalid, &errors::role_forbidden,
                   &errors::last_super_admin})
        .handled_by([&administration](const ForUpdating& caller, const RequestContext& context,
                                      FromPath<AccountPath> path, UserStatusRequest body) {
            return done(administration.set_status(administrator(caller, context), path->user_id, body.status));
        });

    router.put("/admin/user/update/:userId/role")
        .id("updateUserRole")
        .tag("admin")
        .says("Gives an account another role")
        .describes(
            "Needs user:read, user:update and role:read, and every right of both the former role and the new one. Ends "
            "all sessions of the account.")
        .message("user.updateRole")
        .may_fail({&errors::user_not_self, &errors::user_not_found, &errors::blocked_invalid, &errors::role_not_found,
                   &errors::role_forbidden, &errors::last_super_admin})
        .handled_by([&administration](const ForRoles& caller, const RequestContext& context, FromPath<AccountPath> path,
                                      UserRoleRequest body) {
            return done(administration.set_role(administrator(caller, context), path->user_id, body.role_id));
        });

    router.put("/admin/user/update/:userId/password")
        .id("updateUserPassword")
        .tag("admin")
        .says("Mails an account a temporary password")
        .describes(
            "Needs user:read and user:update. Nobody but the owner sees it. Ends all sessions; until another password "
            "is set the account can do nothing else.")
        .message("user.updatePassword")
        .may_fail({&errors::user_not_self, &errors::user_not_found, &errors::blocked_invalid, &errors::role_forbidden})
        .handled_by(
            [&administration](const ForUpdating& caller, const RequestContext& context, FromPath<AccountPath> path) {
                return done(administration.give_temporary_password(administrator(caller, context), path->user_id));
            });

    router.erase("/admin/user/:userId/session/revoke/:sessionId")
        .id("revokeSessionOfUser")
        .tag("admin")
        .says("Ends a session of an account")
        .describes("Needs user:read, session:read and session:delete. Its tokens are dead at once.")
        .may_fail({&errors::user_not_found, &errors::session_not_found, &errors::role_forbidden})
        .handled_by([&administration](const ForRevoking& caller, const RequestContext& context,
                                      FromPath<UserSessionPath> path) {
            return revoke(administration, administrator(caller, context), path->user_id, path->session_id);
        });
}

void add_transfers(http::Router& router, Administration& administration, UserImport& import) {
    router.post("/admin/user/export")
        .id("exportUsers")
        .tag("admin")
        .says("Accounts as a table")
        .describes(
            "Needs user:read. CSV with `;` between the columns that an import takes, without anything that lets "
            "somebody in; fields that a spreadsheet would run as formulas begin with a quote. Sent while it is read: "
            "an answer that ends without its last chunk is not whole.")
        .answers_with("text/csv")
        .may_fail({&errors::filter_invalid_value})
        .handled_by([&administration](const ForReading& caller, const RequestContext& context,
                                      http::FromQuery<UserExportQuery> wanted) {
            return export_table(administration, administrator(caller, context), std::move(wanted.value), context.now);
        });

    router.post("/admin/user/import")
        .id("importUsers")
        .tag("admin")
        .says("Makes accounts of a table, all of them or none")
        .describes(
            "Needs user:read and user:create, and every right of the roles that are given. At most 1000 rows; the "
            "first line names the columns: email, and any of name, username, role, status, isVerified, language and "
            "createdAt. Rows that break rules are listed in `errors`, each with its number from 0; addresses that have "
            "an account in `data.emails`. The accounts have no password: their owners ask for one as if it were "
            "forgotten.")
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
        .says("All accounts, for other services")
        .describes("Needs an API key of type system.")
        .message("user.list")
        .with_system_key()
        .handled_by([&administration, &consents](http::List<SystemUserListing> wanted) {
            return list(administration, consents, std::move(wanted));
        });

    router.post("/system/user/check/username")
        .id("checkUsername")
        .tag("user")
        .says("Whether a username could be somebody's, and is")
        .describes("Needs an API key of type system.")
        .message("user.checkUsername")
        .with_system_key()
        .handled_by([&administration](CheckUsernameRequest body) {
            return check_username(administration, std::move(body.username));
        });

    router.post("/system/user/check/email")
        .id("checkEmail")
        .tag("user")
        .says("Whether an email address has an account")
        .describes("Needs an API key of type system.")
        .message("user.checkEmail")
        .with_system_key()
        .handled_by(
            [&administration](CheckEmailRequest body) { return check_email(administration, std::move(body.email)); });
}

}  // namespace

void add_administration_endpoints(http::Router& router, Administration& administration, Profiles& profiles,
                                  Consents& consents, UserImport& import) {
    add_reading(router, administration, profiles, consents);
    add_changing(router, administration);
    add_transfers(router, administration, import);
    add_for_systems(router, administration, consents);
}

}  // namespace consentry
