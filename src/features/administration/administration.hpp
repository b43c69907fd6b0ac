// Administration of other users' accounts.
//
// Administrators cannot exceed their own rights: they can neither change an account whose role allows more than theirs
// nor assign such a role. An administrator never sees or chooses a password (REC-6); temporary passwords are mailed to
// the owner. Changes take effect at the account's next request (AUT-4).
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/activity/audit.hpp"
#include "features/administration/repository.hpp"
#include "features/passwords/passwords.hpp"
#include "features/roles/roles.hpp"
#include "features/sessions/sessions.hpp"
#include "features/users/repository.hpp"

namespace consentry {

// The administrator who makes the request, or the operator.
struct Administrator {
    Actor actor;
    Cause cause;
};

struct WantedUser {
    std::string email;
    RoleId role;
    std::optional<std::string> name;
    Language language = Language::en;
};

class Administration {
public:
    // The references must outlive this object.
    Administration(storage::Database& database, const Clock& clock, UserRepository& users, Roles& roles,
                   Sessions& sessions, Passwords& passwords, Audit audit);

    awaitable<ListSlice<ListedUser>> users(ListQuery query) { return repository_.users(std::move(query)); }
    awaitable<bool> has_email(std::string email) { return repository_.has_email(std::move(email)); }
    awaitable<bool> has_username(std::string name) { return repository_.has_username(std::move(name)); }

    // Errors: those of the role (notFound, forbidden), emailExist.
    awaitable<Result<UserId>> create(Administrator by, WantedUser wanted);
    // Errors of the next three functions: notSelf, notFound, blockedInvalid, forbidden (the account's role is above the
    // caller's), and those of the actor. Changes of status and role, which can remove a super admin, also fail with
    // lastSuperAdmin.
    // Only the operator can let a blocked account in again.
    awaitable<Result<void>> set_status(Administrator by, UserId target, UserStatus status);
    // Further errors: notFound and forbidden of the role. Administrators cannot change their own role.
    awaitable<Result<void>> set_role(Administrator by, UserId target, RoleId role);
    awaitable<Result<void>> give_temporary_password(Administrator by, UserId target);
    // Lifts the locks that wrong passwords and codes brought about. Errors: notSelf, notFound, forbidden, and those of
    // the actor.
    awaitable<Result<void>> unlock(Administrator by, UserId target);

    // Error: notFound of the account.
    awaitable<Result<ListSlice<ListedSession>>> sessions(UserId target, ListQuery query);
    // Errors: notFound of the account or the session; forbidden.
    awaitable<Result<void>> revoke(Administrator by, UserId target, SessionId session);
    // Ends all sessions of another account, its logins in progress and its mailed links.
    awaitable<Result<void>> revoke_all(Administrator by, UserId target);

    // Records an export. Call this before the first line is sent.
    awaitable<Result<void>> note_export(Administrator by);

private:
    // Commits a change of an account. Returns false if another request changed the account in between. A change that
    // may remove a super admin begins with their lock (see SuperAdmins), and fails if it removes the last one.
    awaitable<Result<bool>> commit(PrivilegedTransaction change, bool may_remove_super_admin);
    // Returns the account if it is not the caller's own and `by` may change it.
    awaitable<Result<User>> reachable(const Administrator& by, UserId target);
    awaitable<Result<Rights>> grantable(const Administrator& by, RoleId role);

    storage::Database& database_;
    AdministrationRepository repository_;
    const Clock& clock_;
    UserRepository& users_;
    Roles& roles_;
    Sessions& sessions_;
    Passwords& passwords_;
    Audit audit_;
};

}  // namespace consentry
