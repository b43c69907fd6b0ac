// What administrators do to the accounts of others.
//
// Nobody reaches above their own rights: neither to an account whose role allows more than the administrator's, nor by
// handing out a role that does. An administrator never sees or picks a password (REC-6): temporary ones are mailed to
// the owner. What is changed acts at the account's next request (AUT-4).
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

// The administrator who asks, or the operator.
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
    // All outlive this.
    Administration(storage::Database& database, const Clock& clock, UserRepository& users, Roles& roles,
                   Sessions& sessions, Passwords& passwords);

    awaitable<ListSlice<ListedUser>> users(ListQuery query) { return repository_.users(std::move(query)); }
    awaitable<bool> has_email(std::string email) { return repository_.has_email(std::move(email)); }
    awaitable<bool> has_username(std::string name) { return repository_.has_username(std::move(name)); }

    // Errors: those of the role (notFound, forbidden), emailExist.
    awaitable<Result<UserId>> create(Administrator by, WantedUser wanted);
    // Errors of all that follow: notSelf, notFound, blockedInvalid, forbidden (the account stands above), and those of
    // the actor. Of the two that can take away a super admin: lastSuperAdmin.
    awaitable<Result<void>> set_status(Administrator by, UserId target, UserStatus status);
    // Errors besides: notFound and forbidden of the role. Nobody changes their own role.
    awaitable<Result<void>> set_role(Administrator by, UserId target, RoleId role);
    awaitable<Result<void>> give_temporary_password(Administrator by, UserId target);

    // Errors: notFound, of an account.
    awaitable<Result<ListSlice<ListedSession>>> sessions(UserId target, ListQuery query);
    // Errors: notFound of the account or the session; forbidden.
    awaitable<Result<void>> revoke(Administrator by, UserId target, SessionId session);

    // Written down before the first line leaves.
    awaitable<Result<void>> note_export(Administrator by);

private:
    // What commits a status or role; nullopt: somebody changed the account meanwhile.
    awaitable<Result<bool>> commit(PrivilegedTransaction change, bool keeps_super_admin);
    // Somebody else's account, which `by` may change.
    awaitable<Result<User>> reachable(const Administrator& by, UserId target);
    awaitable<Result<Rights>> grantable(const Administrator& by, RoleId role);

    storage::Database& database_;
    AdministrationRepository repository_;
    const Clock& clock_;
    UserRepository& users_;
    Roles& roles_;
    Sessions& sessions_;
    Passwords& passwords_;
};

}  // namespace consentry
