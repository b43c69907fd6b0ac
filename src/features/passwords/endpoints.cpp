#include "features/passwords/endpoints.hpp"

#include "features/passwords/dto.hpp"
#include "features/sessions/guard.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

awaitable<Result<http::Done>> change(Passwords& passwords, UserId user, ChangePasswordRequest body, Cause cause) {
    auto proof = proof_of(body);
    PasswordChange wanted{std::move(body.old_password), std::move(body.new_password), std::move(proof)};
    auto changed = co_await passwords.change(user, std::move(wanted), std::move(cause));
    if (!changed) co_return fail(std::move(changed.error()));
    co_return http::Done{};
}

}  // namespace

void add_password_endpoints(http::Router& router, Passwords& passwords) {
    router.patch("/shared/user/change-password")
        .also_at("/user/change-password")
        .id("changePassword")
        .tag("password")
        .says("Changes the own password")
        .describes("Asks for the second factor where it is on. Ends all sessions of the account.")
        .message("user.changePassword")
        .behind_flag("changePassword")
        .may_fail({&errors::password_not_match, &errors::password_attempt_max, &errors::password_must_new,
                   &errors::two_factor_method_required, &errors::two_factor_required_setup, &errors::two_factor_invalid,
                   &errors::two_factor_attempt_temporary_lock})
        .handled_by([&passwords](const SignedInProvisionally& caller, const http::RequestContext& context,
                                 ChangePasswordRequest body) {
            return change(passwords, caller.user(), std::move(body), cause_of(context));
        });
}

}  // namespace consentry
