#include "features/passwords/endpoints.hpp"

#include "features/passwords/dto.hpp"
#include "features/sessions/dto.hpp"
#include "features/sessions/guard.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

// The session may do more from now on, so it gets new tokens (SES-4).
awaitable<Result<TokenResponse>> confirm(Confirmation& confirmation, Sessions& sessions, SignedIn caller,
                                         OwnerProof proof, Cause cause) {
    auto proven = co_await confirmation.prove(caller, std::move(proof), std::move(cause));
    if (!proven) co_return fail(std::move(proven.error()));
    auto renewal = co_await sessions.prepare_renewal(caller.session(), caller.jti());
    if (!renewal) co_return fail(std::move(renewal.error()));
    auto confirmed = co_await confirmation.confirm(std::move(*proven), renewal->rotation);
    if (!confirmed) co_return fail(std::move(confirmed.error()));
    co_await sessions.note_renewed(*renewal);
    co_return TokenResponse::of(renewal->pair, caller.role());
}

}  // namespace

void add_password_endpoints(http::Router& router, Passwords& passwords, Confirmation& confirmation,
                            Sessions& sessions) {
    router.patch("/shared/user/change-password")
        .also_at("/user/change-password")
        .id("changePassword")
        .tag("password")
        .says("Change your password")
        .describes(
            "Requires the second factor if two-factor authentication is on. Ends all sessions of the account. An "
            "account without a password, whose owner logs in with Google or Apple, gets its first password through the "
            "password reset link.")
        .message("user.changePassword")
        .behind_flag("changePassword")
        .may_fail({&errors::password_not_set, &errors::password_not_match, &errors::password_attempt_max,
                   &errors::password_must_new, &errors::two_factor_method_required, &errors::two_factor_required_setup,
                   &errors::two_factor_invalid, &errors::two_factor_attempt_temporary_lock})
        .handled_by(
            [&passwords](const SignedInProvisionally& caller, const http::RequestContext& context,
                         ChangePasswordRequest body) {
                Proof proof = proof_of(body);
                PasswordChange wanted{std::move(body.old_password), std::move(body.new_password), std::move(proof)};
                return http::reply<http::Done>(
                    passwords.change(caller.actor(), caller.user(), std::move(wanted), cause_of(context)));
            },
            [&passwords](const SignedInProvisionally& caller, const ChangePasswordRequest& body, Report& report) {
                passwords.check_choice(body.new_password, caller.email(), "newPassword", report);
            });

    router.post("/shared/user/session/confirm")
        .also_at("/user/session/confirm")
        .id("confirmSession")
        .tag("session")
        .says("Confirm your session")
        .describes(
            "Some changes require a session begun or confirmed within the last five minutes, and otherwise answer "
            "`freshLoginRequired`. Send a code or backup code if two-factor authentication is on, else the password. "
            "Failed attempts count as they do at login. The owner of an account with neither (Google or Apple only) "
            "confirms by logging in again. The answer contains new tokens; those of the request stop working.")
        .message("session.confirm")
        .may_fail({&errors::password_not_set, &errors::password_not_match, &errors::password_attempt_max,
                   &errors::two_factor_not_enabled, &errors::two_factor_method_required,
                   &errors::two_factor_required_setup, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock})
        .handled_by([&confirmation, &sessions](const SignedIn& caller, const http::RequestContext& context,
                                               ConfirmSessionRequest body) {
            OwnerProof proof{.password = std::move(body.password), .factor = proof_of(body)};
            return confirm(confirmation, sessions, caller, std::move(proof), cause_of(context));
        });
}

}  // namespace consentry
