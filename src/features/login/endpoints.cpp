#include "features/login/endpoints.hpp"

#include "features/login/dto.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

Origin origin_of(const http::RequestContext& context) {
    Origin origin;
    origin.ip_address = context.client_address();
    origin.user_agent = context.user_agent();
    return origin;
}

}  // namespace

void add_login_endpoints(http::Router& router, Login& login) {
    router.post("/user/login/credential")
        .also_at("/public/user/login/credential")
        .id("loginWithCredential")
        .tag("login")
        .says("Log in with email and password")
        .describes(
            "Returns tokens, or a challenge if the account has two-factor authentication. An unknown address and a "
            "wrong password give the same answer.")
        .message("user.loginCredential")
        .behind_flag("loginWithCredential")
        .may_fail({&errors::password_not_match, &errors::password_attempt_max, &errors::password_expired,
                   &errors::inactive_forbidden, &errors::email_not_verified, &errors::two_factor_setup_expired})
        .handled_by([&login](const http::RequestContext& context, LoginCredentialRequest body) {
            Origin origin = origin_of(context, body.from, LoginWith::credential, body.device);
            return http::reply<LoginResponse>(login.with_credential(std::move(body.email), std::move(body.password),
                                                                    std::move(origin), cause_of(context)));
        });

    router.post("/user/login/2fa")
        .also_at("/public/user/login/2fa/verify")
        .also_at("/user/login/2fa/verify")
        .also_by(http::Method::patch)
        .id("verifyLogin")
        .tag("login")
        .says("Complete a login with a second factor")
        .describes(
            "Takes the challenge of the login and a code or backup code. A challenge works once and expires after five "
            "minutes; a code works once. Five wrong codes lock the second factor for a while.")
        .message("user.verifyTwoFactor")
        .may_fail({&errors::two_factor_challenge_invalid, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock, &errors::two_factor_not_enabled,
                   &errors::two_factor_required_setup, &errors::inactive_forbidden, &errors::email_not_verified,
                   &errors::password_expired})
        .handled_by([&login](const http::RequestContext& context, VerifyLoginRequest body) {
            Proof proof = proof_of(body);
            return http::reply<LoginResponse>(
                login.verify(std::move(body.challenge_token), std::move(proof), origin_of(context), cause_of(context)));
        });

    router.post("/public/user/login/2fa/enable")
        .also_at("/user/login/2fa/enable")
        .id("enableTwoFactorAtLogin")
        .tag("login")
        .says("Complete a required two-factor setup during login")
        .describes(
            "Returns backup codes. The same challenge then works for one verification, which completes the login.")
        .message("user.loginSetupTwoFactor")
        .may_fail({&errors::two_factor_challenge_invalid, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock, &errors::two_factor_not_enabled,
                   &errors::two_factor_not_required_setup, &errors::inactive_forbidden, &errors::email_not_verified,
                   &errors::password_expired})
        .handled_by([&login](const http::RequestContext& context, EnableAtLoginRequest body) {
            return http::reply<BackupCodesResponse>(
                login.enable_two_factor(std::move(body.challenge_token), std::move(body.code), cause_of(context)));
        });
}

}  // namespace consentry
