// Resets forgotten passwords (REC-2, REC-3).
#include "base/errors.hpp"
#include "features/passwords/new_owner.hpp"
#include "features/passwords/passwords.hpp"

namespace consentry {

awaitable<Result<void>> Passwords::reset(PasswordReset reset, Cause cause) {
    auto done = co_await reset_by(std::move(reset), cause);
    if (!done && !done.error().is(errors::validation))
        audit_.tell("password.reset", Outcome::refused, std::nullopt, cause,
                    {{"reason", std::string(done.error().kind().name)}});
    co_return done;
}

awaitable<Result<void>> Passwords::reset_by(PasswordReset reset, const Cause& cause) {
    const TimePoint now = clock_.now();
    constexpr auto purpose = TokenPurpose::forgot_password;
    const auto owner = co_await tokens_.find(reset.token, purpose, now);
    std::optional<User> user;
    if (owner) user = co_await users_.find(*owner);
    auto acceptable = co_await check_new(reset.new_password, user ? user->email : std::string(), "newPassword");
    if (!acceptable) co_return fail(std::move(acceptable.error()));
    if (!user || user->status != UserStatus::active) co_return fail(errors::token_invalid);
    // Serializes resets of the account, independently of logins, which someone may be flooding with guesses.
    const auto turn = co_await turns_.take("reset " + user->id.text());
    const auto factor = co_await two_factor_.state(user->id);
    // If two-factor must be set up again, there is nothing to prove with; the next login requires the set-up, for which
    // the time begins again. If the address was never verified, a stranger may have set it up, and it is erased with
    // everything else that the stranger left.
    auto proof =
        co_await two_factor_.verify_if(user->is_verified && factor.active(), user->id, std::move(reset.proof), cause);
    if (!proof) co_return fail(std::move(proof.error()));
    // After the second factor, because the answer tells whether a password is or was that of the account (PWD-6).
    auto is_new = co_await check_history(user->id, user->password_hash, reset.new_password, network_of(cause));
    if (!is_new) co_return fail(std::move(is_new.error()));
    const std::string hash = co_await hasher_.hash(std::move(reset.new_password), network_of(cause));
    storage::Transaction transaction;
    // As in every change of an account, its row comes first: two such changes then wait instead of deadlocking.
    UserRepository::add_lock(transaction, user->id);
    const std::size_t token_at = transaction.statements().size();
    AccountTokens::add_spend(transaction, reset.token, purpose, now);
    two_factor_.spend(transaction, *proof, cause);
    const std::size_t spent = transaction.statements().size();
    add_password(transaction, *user,
                 {.hash = hash, .type = PasswordType::forgot, .reason = "passwordReset", .expires_at = expiry(now)},
                 now);
    const std::size_t changed = transaction.statements().size();
    // A set-up may have ended since the factor was read. add_password() holds the row of the account: none ends now.
    const bool needed_no_proof = user->is_verified && !*proof;
    if (needed_no_proof) TwoFactorRepository::add_nothing_to_prove(transaction, user->id);
    two_factor_.add_set_up_allowed(transaction, user->id);
    co_await add_new_owner(transaction, consents_, *user, cause, Asker::owner, now);
    Audit::add(transaction, user->id, ActivityAction::user_reset_password, cause, now);
    mails_.add_notice(transaction, user->id, MailKind::password_reset, cause, now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (outcome.committed) {
        two_factor_.tell_spent(*proof, cause);
        audit_.tell("password.reset", Outcome::success, user->id, cause);
        if (may_be_strangers(*user)) audit_.tell("account.taken_over", Outcome::success, user->id, cause);
        co_return Result<void>{};
    }
    if (outcome.failed_at == token_at) co_return fail(errors::token_invalid);
    if (outcome.failed_at < spent) co_return fail(co_await two_factor_.lost(std::move(**proof), cause));
    if (outcome.failed_at == changed && needed_no_proof) co_return fail(errors::two_factor_method_required);
    throw Unavailable("reset of a password: the account changed at the same moment");
}

}  // namespace consentry
