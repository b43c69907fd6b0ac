#include "features/passwords/confirmation.hpp"

#include "base/errors.hpp"

namespace consentry {

using storage::Expect;

Confirmation::Confirmation(storage::Database& database, const Clock& clock, UserRepository& users,
                           TwoFactor& two_factor, Passwords& passwords, Audit audit)
    : database_(database),
      sessions_(database),
      clock_(clock),
      users_(users),
      two_factor_(two_factor),
      passwords_(passwords),
      audit_(audit) {}

awaitable<Result<void>> Confirmation::check_password(User user, std::string password, Cause cause) {
    if (!user.password_hash) co_return fail(errors::password_not_set);
    const UserId id = user.id;
    std::string email = user.email;
    auto checked = co_await passwords_.check(std::move(user), std::move(email), std::move(password), cause);
    // A confirmation asks for no address, so the message must not blame one.
    if (!checked && checked.error().is(errors::password_not_match))
        co_return fail(std::move(checked.error()).with_message("auth.error.oldPasswordNotMatch"));
    if (!checked) co_return fail(std::move(checked.error()));
    co_await passwords_.clear(id);
    co_return Result<void>{};
}

awaitable<Result<storage::Outcome>> Confirmation::commit(PrivilegedTransaction transaction, Mark mark) {
    std::string why;
    try {
        co_return co_await std::move(transaction).commit(database_);
    } catch (const storage::OutcomeUnknown& unknown) {
        why = unknown.what();
    }
    const auto found = co_await sessions_.find(mark.session);
    if (!found || found->proven_at != mark.proven_at || found->jti != mark.jti)
        throw Unavailable("confirmation: outcome unknown: " + why);
    co_return storage::Outcome{.committed = true, .results = {}};
}

awaitable<Result<ProvenCaller>> Confirmation::prove(SignedIn caller, OwnerProof proof, Cause cause) {
    auto user = co_await users_.find(caller.user());
    if (!user) co_return fail(errors::jwt_access_token_invalid);
    const auto factor = co_await two_factor_.state(caller.user());
    if (factor.enabled || !proof.factor.empty()) {
        auto verified = co_await two_factor_.verify(caller.user(), std::move(proof.factor), cause);
        if (!verified) co_return fail(std::move(verified.error()));
        co_return ProvenCaller{std::move(caller), std::move(*verified), std::move(cause)};
    }
    auto checked = co_await check_password(std::move(*user), std::move(proof.password).value_or(""), cause);
    if (!checked) co_return fail(std::move(checked.error()));
    co_return ProvenCaller{std::move(caller), std::nullopt, std::move(cause)};
}

awaitable<Result<void>> Confirmation::confirm(ProvenCaller proven, Rotation rotation) {
    auto& [caller, factor, cause] = proven;
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(caller.actor(), now);
    two_factor_.spend(transaction, factor, cause);
    const std::size_t spent = transaction.size();
    SessionRepository::add_confirm(transaction, caller.session(), caller.user(), now);
    SessionRepository::add_rotate(transaction, Expect::one, rotation);
    Mark mark{.session = caller.session(), .proven_at = now, .jti = rotation.new_jti};
    auto outcome = co_await commit(std::move(transaction), std::move(mark));
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed && outcome->failed_at < spent)
        co_return fail(co_await two_factor_.lost(std::move(*factor), std::move(cause)));
    if (!outcome->committed) co_return fail(errors::jwt_access_token_invalid);
    two_factor_.tell_spent(factor, cause);
    audit_.tell("session.confirmed", Outcome::success, caller.user(), cause,
                {{"session", caller.session().text()},
                 {"method", factor ? (factor->step ? "code" : "backupCode") : "password"}});
    co_return Result<void>{};
}

}  // namespace consentry
