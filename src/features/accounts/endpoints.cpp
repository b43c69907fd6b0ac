#include "features/accounts/endpoints.hpp"

#include "base/errors.hpp"
#include "features/accounts/dto.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using http::Done;

NewAccount to_account(SignUpRequest body, Language language) {
    return {.email = std::move(body.email),
            .password = std::move(body.password),
            .name = std::move(body.name),
            .from = body.from == LoginFrom::mobile ? SignUpFrom::mobile : SignUpFrom::website,
            .language = language,
            .accepted = accepted_in(body)};
}

awaitable<Result<http::NoContent>> delete_self(Accounts& accounts, SignedIn caller, Proof proof, Cause cause) {
    // Only the operator can delete an administrator, so that the service is never left without one.
    if (caller.role() != Role::user) co_return fail(errors::role_forbidden);
    co_return co_await http::reply<http::NoContent>(
        accounts.delete_self(caller.actor(), caller.user(), std::move(proof), std::move(cause)));
}

void add_sign_up_endpoints(http::Router& router, Accounts& accounts, LinkRequests& links, Passwords& passwords) {
    router.post("/public/user/sign-up")
        .also_at("/user/sign-up")
        .id("signUp")
        .tag("user")
        .says("Sign up")
        .describes(
            "Creates an account and emails a link that verifies its address; the account can log in once the address "
            "is verified. Each policy sent as `true` is accepted in its latest version; Consentry assumes no "
            "acceptance.")
        .message("user.signUp")
        .answers(201)
        .behind_flag("signUp")
        .may_fail({&errors::email_exist})
        .handled_by(
            [&accounts](const http::RequestContext& context, SignUpRequest body) {
                return http::reply<Done>(
                    accounts.sign_up(to_account(std::move(body), context.language), cause_of(context)));
            },
            [&passwords](const SignUpRequest& body, Report& report) {
                passwords.check_choice(body.password, body.email, "password", report);
            });

    router.patch("/public/user/verify/email")
        .also_at("/user/verify/email")
        .id("verifyEmail")
        .tag("user")
        .says("Verify the email address of an account")
        .describes("Takes the token of the emailed link. The token works once and expires after a few minutes.")
        .message("user.verifyEmail")
        .may_fail({&errors::token_invalid})
        .handled_by([&accounts](const http::RequestContext& context, VerifyEmailRequest body) {
            return http::reply<Done>(accounts.verify(std::move(body.token), cause_of(context)));
        });

    router.post("/public/user/send/email")
        .also_at("/user/send/email")
        .id("sendVerificationEmail")
        .tag("user")
        .says("Resend the verification email")
        .describes(
            "The answer is the same whether or not the account exists, and whether or not a link was requested a "
            "moment ago. A new link replaces the previous one.")
        .message("user.sendEmailVerification")
        .handled_by([&links](const http::RequestContext& context, SendLinkRequest body) {
            return http::reply<Done>(
                links.request(TokenPurpose::verify_email, std::move(body.email), cause_of(context)));
        });
}

void add_recovery_endpoints(http::Router& router, LinkRequests& links, Passwords& passwords) {
    router.post("/public/user/password/forgot")
        .also_at("/user/password/forgot")
        .id("forgotPassword")
        .tag("password")
        .says("Request a password reset link")
        .describes(
            "The answer is the same whether or not the account exists, and whether or not a link was requested a "
            "moment ago. A new link replaces the previous one.")
        .message("user.forgotPassword")
        .behind_flag("changePassword.forgotAllowed")
        .handled_by([&links](const http::RequestContext& context, SendLinkRequest body) {
            return http::reply<Done>(
                links.request(TokenPurpose::forgot_password, std::move(body.email), cause_of(context)));
        });

    router.put("/public/user/password/reset")
        .also_at("/user/password/reset")
        .also_by(http::Method::patch)
        .id("resetPassword")
        .tag("password")
        .says("Reset a forgotten password")
        .describes(
            "Takes the token of the emailed link. Requires the second factor if the account has two-factor "
            "authentication; a wrong code counts toward the lock and leaves the link valid. Ends all sessions of the "
            "account and verifies its address. The user then logs in with the new password.")
        .message("user.resetPassword")
        .behind_flag("changePassword.forgotAllowed")
        .may_fail({&errors::token_invalid, &errors::password_must_new, &errors::two_factor_method_required,
                   &errors::two_factor_required_setup, &errors::two_factor_not_enabled, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock})
        .handled_by(
            [&passwords](const http::RequestContext& context, ResetPasswordRequest body) {
                PasswordReset wanted{std::move(body.token), std::move(body.new_password), proof_of(body)};
                return http::reply<Done>(passwords.reset(std::move(wanted), cause_of(context)));
            },
            [&passwords](const ResetPasswordRequest& body, Report& report) {
                passwords.check_choice(body.new_password, {}, "newPassword", report);
            });
}

void add_profile_endpoints(http::Router& router, Accounts& accounts, Profiles& profiles) {
    router.get("/shared/user/profile")
        .also_at("/user/profile")
        .id("getProfile")
        .tag("user")
        .says("Get your profile")
        .message("user.profile")
        .may_fail({&errors::user_not_found, &errors::role_not_found})
        .answers_header(grace_header, grace_header_description)
        .handled_by([&profiles](const Consenting<>& caller) {
            return profiles.get(caller.user(), caller.grounds().policy_state);
        });

    router.put("/shared/user/profile")
        .also_at("/shared/user/profile/update")
        .also_at("/user/profile")
        .also_at("/user/profile/update")
        .id("updateProfile")
        .tag("user")
        .says("Update your profile")
        .describes("Changes name, language and gender. Omitted fields keep their value.")
        .message("user.updateProfile")
        .may_fail({&errors::user_not_found})
        .answers_header(grace_header, grace_header_description)
        .handled_by(
            [&accounts](const Consenting<>& caller, const http::RequestContext& context, UpdateProfileRequest body) {
                ProfileChange to{.name = std::move(body.name), .language = body.language, .gender = body.gender};
                return http::reply<Done>(accounts.update_profile(caller.actor(), caller.user(), to, cause_of(context)));
            });
}

void add_departure_endpoints(http::Router& router, Accounts& accounts, AccountExport& exported) {
    router.erase("/shared/user/delete/self")
        .also_at("/user/user/delete/self")
        .id("deleteSelf")
        .tag("user")
        .says("Delete your account")
        .describes(
            "Takes effect immediately and cannot be undone: all sessions end, and the email address becomes free for a "
            "new sign-up. Requires a code or backup code if two-factor authentication is on; otherwise the access "
            "token is enough. Only for accounts whose role has the type `user`. Consentry erases the personal data "
            "after a period that the operator sets.")
        .may_fail({&errors::role_forbidden, &errors::user_not_found, &errors::two_factor_method_required,
                   &errors::two_factor_required_setup, &errors::two_factor_not_enabled, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock})
        .handled_by([&accounts](const SignedIn& caller, const http::RequestContext& context, DeleteSelfRequest body) {
            return delete_self(accounts, caller, proof_of(body), cause_of(context));
        });

    router.get("/shared/user/export")
        .also_at("/user/export")
        .id("exportAccount")
        .tag("user")
        .says("Export your account data")
        .describes(
            "Returns a JSON file with the profile, identities, password change times, sessions, policy "
            "acceptances and withdrawals, the activity log, and receipts and proofs of the consent log, if it is on. "
            "It contains no secrets: neither password hashes nor two-factor secrets.")
        .answers_with("application/json")
        .may_fail({&errors::user_not_found, &errors::role_not_found})
        .handled_by([&exported](const SignedIn& caller, const http::RequestContext& context) {
            return http::reply(exported.of(caller.user(), context.language, cause_of(context)),
                               [user = caller.user()](http::NextPiece pieces) {
                                   return http::Stream{.content_type = "application/json; charset=utf-8",
                                                       .file_name = "account-" + user.text() + ".json",
                                                       .next = std::move(pieces)};
                               });
        });
}

}  // namespace

void add_account_endpoints(http::Router& router, Accounts& accounts, LinkRequests& links, Passwords& passwords,
                           Profiles& profiles, AccountExport& exported) {
    add_sign_up_endpoints(router, accounts, links, passwords);
    add_recovery_endpoints(router, links, passwords);
    add_profile_endpoints(router, accounts, profiles);
    add_departure_endpoints(router, accounts, exported);
}

}  // namespace consentry
