#include "features/administration/administration.hpp"

#include "base/errors.hpp"
#include "features/passwords/repository.hpp"
#include "features/roles/repository.hpp"
#include "features/sessions/repository.hpp"
#include "features/two_factor/repository.hpp"

namespace consentry {
namespace {

// A try fails if another request changes the same account between its read and its write.
constexpr int tries_max = 8;

}  // namespace

Administration::Administration(storage::Database& database, const Clock& clock, UserRepository& users, Roles& roles,
                               Sessions& sessions, Passwords& passwords, Audit audit)
    : database_(database),
      repository_(database),
      clock_(clock),
      users_(users),
      roles_(roles),
      sessions_(sessions),
      passwords_(passwords),
      audit_(audit) {}

awaitable<Result<User>> Administration::reachable(const Administrator& by, UserId target) {
    if (by.actor.user() == target) co_return fail(errors::user_not_self);
    auto user = co_await users_.find(target);
    if (!user) co_return fail(errors::user_not_found);
    const auto rights = co_await roles_.rights_of(user->role_id);
    if (!rights || !by.actor.rights().include(*rights)) co_return fail(errors::role_forbidden);
    co_return std::move(*user);
}

awaitable<Result<Rights>> Administration::grantable(const Administrator& by, RoleId role) {
    const auto rights = co_await roles_.rights_of(role);
    if (!rights) co_return fail(errors::role_not_found);
    if (!by.actor.rights().include(*rights)) co_return fail(errors::role_forbidden);
    co_return *rights;
}

awaitable<Result<UserId>> Administration::create(Administrator by, WantedUser wanted) {
    auto rights = co_await grantable(by, wanted.role);
    if (!rights) co_return fail(std::move(rights.error()));
    User user;
    user.email = std::move(wanted.email);
    user.name = std::move(wanted.name);
    user.role_id = wanted.role;
    user.role = rights->type;
    user.language = wanted.language;
    user.sign_up_from = SignUpFrom::admin;
    co_return co_await passwords_.create_with_temporary(std::move(by.actor), std::move(user), std::move(by.cause));
}

awaitable<Result<bool>> Administration::commit(PrivilegedTransaction change, bool may_remove_super_admin) {
    const std::size_t changes = change.size();
    if (may_remove_super_admin) SuperAdmins::add_remains(change);
    auto outcome = co_await std::move(change).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed && outcome->failed_at == changes) co_return fail(errors::last_super_admin);
    co_return outcome->committed;
}

awaitable<Result<void>> Administration::set_status(Administrator by, UserId target, UserStatus status) {
    for (int i = 0; i < tries_max; ++i) {
        auto user = co_await reachable(by, target);
        if (!user) co_return fail(std::move(user.error()));
        const bool by_operator = !by.actor.user();
        if (user->status == UserStatus::blocked && !by_operator) co_return fail(errors::blocked_invalid);
        if (user->status == status) co_return Result<void>{};
        const bool may_remove_super_admin = user->role == Role::super_admin && status != UserStatus::active;
        const TimePoint now = clock_.now();
        PrivilegedTransaction transaction(by.actor, now, target);
        if (may_remove_super_admin) SuperAdmins::add_lock(transaction);
        AdministrationRepository::add_status(transaction, *user, status, now);
        const AccountAction action{ActivityAction::admin_user_update_status, status == UserStatus::blocked
                                                                                 ? ActivityAction::user_blocked
                                                                                 : ActivityAction::user_update_status};
        Audit::add(transaction, target, action, by.cause, now,
                   {{"from", name_of(user->status)}, {"to", name_of(status)}});
        auto done = co_await commit(std::move(transaction), may_remove_super_admin);
        if (!done) co_return fail(std::move(done.error()));
        if (!*done) continue;
        audit_.tell("account.status_changed", Outcome::success, target, by.cause,
                    {{"from", std::string(name_of(user->status))}, {"to", std::string(name_of(status))}});
        co_return Result<void>{};
    }
    throw Unavailable("changing a status: the account kept changing");
}

awaitable<Result<void>> Administration::set_role(Administrator by, UserId target, RoleId role) {
    for (int i = 0; i < tries_max; ++i) {
        auto user = co_await reachable(by, target);
        if (!user) co_return fail(std::move(user.error()));
        if (user->status == UserStatus::blocked) co_return fail(errors::blocked_invalid);
        auto rights = co_await grantable(by, role);
        if (!rights) co_return fail(std::move(rights.error()));
        if (user->role_id == role) co_return Result<void>{};
        const bool may_remove_super_admin = user->role == Role::super_admin;
        const TimePoint now = clock_.now();
        PrivilegedTransaction transaction(by.actor, now, target);
        if (may_remove_super_admin) SuperAdmins::add_lock(transaction);
        RoleRepository::add_hold(transaction, role);
        AdministrationRepository::add_role(transaction, *user, role, now);
        Audit::add(transaction, target, ActivityAction::admin_user_update_role, by.cause, now,
                   {{"from", user->role_id.text()}, {"to", role.text()}});
        auto done = co_await commit(std::move(transaction), may_remove_super_admin);
        if (!done) co_return fail(std::move(done.error()));
        if (!*done) continue;
        audit_.tell("account.role_changed", Outcome::success, target, by.cause,
                    {{"from", user->role_id.text()}, {"to", role.text()}});
        co_return Result<void>{};
    }
    throw Unavailable("changing a role: the account kept changing");
}

awaitable<Result<void>> Administration::give_temporary_password(Administrator by, UserId target) {
    auto user = co_await reachable(by, target);
    if (!user) co_return fail(std::move(user.error()));
    if (user->status == UserStatus::blocked) co_return fail(errors::blocked_invalid);
    co_return co_await passwords_.give_temporary(std::move(by.actor), std::move(*user), std::move(by.cause));
}

awaitable<Result<void>> Administration::unlock(Administrator by, UserId target) {
    auto user = co_await reachable(by, target);
    if (!user) co_return fail(std::move(user.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by.actor, now, target);
    PasswordRepository::add_unlock(transaction, target, now);
    TwoFactorRepository::add_unlock(transaction, target, now);
    Audit::add(transaction, target, ActivityAction::admin_user_unlock, by.cause, now);
    auto done = co_await commit(std::move(transaction), false);
    if (!done) co_return fail(std::move(done.error()));
    if (!*done) co_return fail(errors::user_not_found);
    audit_.tell("account.unlocked", Outcome::success, target, by.cause);
    co_return Result<void>{};
}

awaitable<Result<ListSlice<ListedSession>>> Administration::sessions(UserId target, ListQuery query) {
    const auto user = co_await users_.find(target);
    if (!user) co_return fail(errors::user_not_found);
    co_return co_await repository_.sessions(target, std::move(query));
}

awaitable<Result<void>> Administration::revoke(Administrator by, UserId target, SessionId session) {
    if (by.actor.user() != target) {
        auto user = co_await reachable(by, target);
        if (!user) co_return fail(std::move(user.error()));
    }
    co_return co_await sessions_.revoke(
        std::move(by.actor), target, session,
        {ActivityAction::admin_session_revoke, ActivityAction::user_revoke_session_by_admin}, std::move(by.cause));
}

awaitable<Result<void>> Administration::revoke_all(Administrator by, UserId target) {
    auto user = co_await reachable(by, target);
    if (!user) co_return fail(std::move(user.error()));
    co_return co_await sessions_.revoke_all(
        std::move(by.actor), target,
        {ActivityAction::admin_session_revoke, ActivityAction::user_revoke_all_sessions_by_admin}, std::move(by.cause));
}

awaitable<Result<void>> Administration::note_export(Administrator by) {
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by.actor, now);
    Audit::add_by(transaction, by.actor, ActivityAction::admin_user_export, by.cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    co_return Result<void>{};
}

}  // namespace consentry
