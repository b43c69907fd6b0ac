#include "features/two_factor/endpoints.hpp"

#include "features/sessions/guard.hpp"
#include "features/two_factor/dto.hpp"
#include "features/users/dto.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using MayReset = Permitted<Subject::user, Action::read, Action::update>;

TwoFactorStatusResponse to_status(const TwoFactorRecord& record) {
    return {.is_enabled = record.active(),
            .is_pending_confirmation = record.pending(),
            .backup_codes_remaining = record.backup_codes,
            .confirmed_at = record.confirmed_at,
            .last_used_at = record.last_used_at};
}

TwoFactorSetupResponse to_setup(NewSecret made) { return {std::move(made.secret), std::move(made.otpauth_url)}; }

awaitable<Result<User>> owner(UserRepository& users, UserId id) {
    auto user = co_await users.find(id);
    if (!user) co_return fail(errors::jwt_access_token_invalid);  // deleted after the guard's check
    co_return std::move(*user);
}

awaitable<Result<BackupCodesResponse>> enable(TwoFactor& two_factor, UserRepository& users, Actor by, UserId id,
                                              SessionId session, std::string code, Cause cause) {
    auto user = co_await owner(users, id);
    if (!user) co_return fail(std::move(user.error()));
    co_return co_await http::reply<BackupCodesResponse>(
        two_factor.enable(std::move(by), std::move(*user), session, std::move(code), std::move(cause)));
}

awaitable<Result<http::NoContent>> disable(TwoFactor& two_factor, UserRepository& users, Actor by, UserId id,
                                           SessionId session, Proof proof, Cause cause) {
    auto user = co_await owner(users, id);
    if (!user) co_return fail(std::move(user.error()));
    co_return co_await http::reply<http::NoContent>(
        two_factor.disable(std::move(by), std::move(*user), session, std::move(proof), std::move(cause)));
}

awaitable<Result<http::Done>> reset(TwoFactor& two_factor, UserRepository& users, Roles& roles, Actor by, UserId target,
                                    Cause cause) {
    if (by.user() == target) co_return fail(errors::user_not_self);
    auto user = co_await users.find(target);
    if (!user) co_return fail(errors::user_not_found);
    if (user->status == UserStatus::blocked) co_return fail(errors::blocked_invalid);
    // An admin must not remove the factor of an account whose rights exceed their own.
    const auto rights = co_await roles.rights_of(user->role_id);
    if (!rights || !by.rights().include(*rights)) co_return fail(errors::role_forbidden);
    auto removed =
        co_await two_factor.reset(std::move(by), std::move(*user), TwoFactor::After::set_up_required, std::move(cause));
    if (!removed) co_return fail(std::move(removed.error()));
    co_return http::Done{};
}

void add_set_up_endpoints(http::Router& router, TwoFactor& two_factor, UserRepository& users) {
    router.get("/shared/user/2fa/status")
        .also_at("/user/2fa/status")
        .id("twoFactorStatus")
        .tag("two-factor")
        .says("Get your two-factor status")
        .describes("`isPendingConfirmation` means that a setup waits for its first code.")
        .message("user.twoFactor.status")
        .handled_by(
            [&two_factor](const SignedIn& caller) { return http::reply(two_factor.state(caller.user()), to_status); });

    router.post("/user/2fa/setup")
        .also_at("/shared/user/2fa/setup")
        .id("setUpTwoFactor")
        .tag("two-factor")
        .says("Start a two-factor setup")
        .describes(
            "Returns a secret for an authenticator app. Two-factor authentication turns on when you confirm it with a "
            "code. A second setup replaces the first.")
        .message("user.twoFactor.setup")
        .may_fail({&errors::two_factor_already_enabled})
        .handled_by([&two_factor](const FreshlySignedIn& caller, const http::RequestContext& context) {
            return http::reply(two_factor.set_up(caller.actor(), caller.user(), caller.email(), cause_of(context)),
                               to_setup);
        });

    router.post("/user/2fa/confirm")
        .also_at("/shared/user/2fa/enable")
        .also_at("/shared/user/2fa/confirm")
        .also_at("/user/2fa/enable")
        .id("enableTwoFactor")
        .tag("two-factor")
        .says("Confirm the setup and turn on two-factor authentication")
        .describes("Returns the backup codes. Ends all other sessions of the account.")
        .message("user.twoFactor.enable")
        .may_fail({&errors::two_factor_already_enabled, &errors::two_factor_required_setup, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock})
        .handled_by([&two_factor, &users](const SignedIn& caller, const http::RequestContext& context,
                                          TwoFactorEnableRequest body) {
            return enable(two_factor, users, caller.actor(), caller.user(), caller.session(), std::move(body.code),
                          cause_of(context));
        });
}

void add_upkeep_endpoints(http::Router& router, TwoFactor& two_factor, UserRepository& users) {
    router.post("/user/2fa/backup/regenerate")
        .also_at("/shared/user/2fa/regenerate-backup-codes")
        .also_at("/shared/user/2fa/backup/regenerate")
        .also_at("/user/2fa/regenerate-backup-codes")
        .id("regenerateBackupCodes")
        .tag("two-factor")
        .says("Replace your backup codes")
        .describes("All earlier codes stop working, used or not. Only this response contains the new ones.")
        .message("user.twoFactor.regenerateBackupCodes")
        .answers(201)
        .may_fail({&errors::two_factor_not_enabled})
        .handled_by([&two_factor](const FreshlySignedIn& caller, const http::RequestContext& context) {
            return http::reply<BackupCodesResponse>(
                two_factor.regenerate(caller.actor(), caller.user(), cause_of(context)));
        });

    router.erase("/user/2fa")
        .also_at("/shared/user/2fa/disable")
        .also_at("/shared/user/2fa")
        .also_at("/user/2fa/disable")
        .id("disableTwoFactor")
        .tag("two-factor")
        .says("Turn off two-factor authentication")
        .describes("Requires a code or backup code. Ends all other sessions of the account.")
        .may_fail({&errors::two_factor_not_enabled, &errors::two_factor_method_required,
                   &errors::two_factor_required_setup, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock})
        .handled_by([&two_factor, &users](const SignedIn& caller, const http::RequestContext& context,
                                          TwoFactorDisableRequest body) {
            return disable(two_factor, users, caller.actor(), caller.user(), caller.session(), proof_of(body),
                           cause_of(context));
        });
}

}  // namespace

void add_two_factor_endpoints(http::Router& router, TwoFactor& two_factor, UserRepository& users, Roles& roles) {
    add_set_up_endpoints(router, two_factor, users);
    add_upkeep_endpoints(router, two_factor, users);

    router.patch("/admin/user/update/:userId/2fa/reset")
        .id("resetTwoFactor")
        .tag("admin")
        .says("Reset the two-factor authentication of a user")
        .describes(
            "Clears secret, backup codes, failed attempts and lock, and ends all sessions of the account. The user "
            "must set up two-factor authentication at the next login, within the time that "
            "`AUTH_TWO_FACTOR_SETUP_EXPIRED_IN_HOURS` sets; after that, logins are refused until another reset, or "
            "until the user resets the password with a mailed link. If it is not on, the operation clears only the "
            "failed attempts and the lock of a setup.")
        .message("user.twoFactor.resetByAdmin")
        .may_fail({&errors::user_not_self, &errors::user_not_found, &errors::blocked_invalid,
                   &errors::two_factor_not_enabled})
        .handled_by([&two_factor, &users, &roles](const MayReset& caller, const http::RequestContext& context,
                                                  http::FromPath<AccountPath> path) {
            return reset(two_factor, users, roles, caller.actor(), path->user_id, cause_of(context));
        });
}

}  // namespace consentry
