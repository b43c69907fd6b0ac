#include "features/two_factor/two_factor.hpp"

#include <algorithm>
#include <array>

#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "crypto/base32.hpp"
#include "features/sessions/grants.hpp"
#include "features/users/repository.hpp"

namespace consentry {
namespace {

// One or two typing errors are not reported. Anyone who gets this far has passed the first step, such as with the
// password, the mailbox, a linked identity or a session (TFA-15).
constexpr std::int64_t noticed_from = 3;
// The owner's right codes end the series but not the guessing. So these counts of a day are reported as well.
constexpr std::array<std::int64_t, 2> noticed_in_a_day{3, 10};

// A reset that is repeated this long after the first one may be one whose answer was lost.
constexpr std::chrono::hours repeated_reset_max{1};

Error code_used() { return Error{errors::two_factor_invalid}.with_message("auth.error.twoFactorCodeUsed"); }

// Another security change of the account committed first. Nothing was changed; the caller may retry.
Unavailable changed_meanwhile() { return Unavailable("two-factor: the account changed at the same moment"); }

}  // namespace

TwoFactor::TwoFactor(storage::Database& database, const Clock& clock, Mails& mails, Audit audit,
                     TwoFactorSettings settings)
    : database_(database),
      repository_(database),
      clock_(clock),
      mails_(mails),
      audit_(audit),
      settings_(std::move(settings)),
      secrets_(settings_.encryption_keys) {}

awaitable<TwoFactorRecord> TwoFactor::state(UserId user) {
    auto record = co_await repository_.find(user);
    co_return record ? std::move(*record) : TwoFactorRecord{};
}

NewSecret TwoFactor::describe(const std::string& email, BytesView secret, const Bytes& iv) const {
    return {.secret = crypto::to_base32(secret),
            .otpauth_url = crypto::otpauth_url(settings_.issuer, settings_.label, email, secret, settings_.totp),
            .iv = iv};
}

awaitable<Result<NewSecret>> TwoFactor::set_up(Actor by, UserId user, std::string email, Cause cause) {
    const Bytes secret = TwoFactorSecrets::new_secret();
    const auto sealed = secrets_.seal(user, secret);
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    TwoFactorRepository::add_pending(transaction, user, sealed.iv, sealed.secret, now);
    Audit::add(transaction, user, ActivityAction::user_setup_two_factor, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::two_factor_already_enabled);
    audit_.tell("two_factor.set_up", Outcome::success, user, cause);
    co_return describe(email, secret, sealed.iv);
}

NewSecret TwoFactor::add_required_set_up(storage::Transaction& transaction, UserId user,
                                         const std::string& email) const {
    const Bytes secret = TwoFactorSecrets::new_secret();
    const auto sealed = secrets_.seal(user, secret);
    TwoFactorRepository::add_required(transaction, user, sealed.iv, sealed.secret, settings_.set_up_lifetime,
                                      clock_.now());
    return describe(email, secret, sealed.iv);
}

std::optional<TimePoint> TwoFactor::end_of_set_up(const TwoFactorRecord& record) const {
    if (!record.required_setup || !record.set_up_allowed_at) return std::nullopt;
    return *record.set_up_allowed_at + settings_.set_up_lifetime;
}

TwoFactorMoment TwoFactor::moment() const { return {.now = clock_.now(), .lock_time = clock_.lock_time()}; }

std::optional<Error> TwoFactor::locked(const TwoFactorRecord& record) const {
    const TimePoint now = clock_.lock_time();
    if (!record.locked_until || *record.locked_until <= now) return std::nullopt;
    return retry_later(errors::two_factor_attempt_temporary_lock, *record.locked_until - now);
}

awaitable<Error> TwoFactor::settle(UserId user, Error error, Cause cause) {
    if (!error.is(errors::two_factor_invalid)) co_return error;
    const auto counted = co_await repository_.count_failure(user, settings_.ladder, moment());
    if (counted) {
        const std::string attempt = std::to_string(counted->in_a_row);
        const std::string in_a_day = std::to_string(counted->in_a_day);
        const bool is_day_told = std::ranges::find(noticed_in_a_day, counted->in_a_day) != noticed_in_a_day.end();
        audit_.tell("two_factor.failed", Outcome::failure, user, cause, {{"attempt", attempt}});
        if (counted->in_a_row >= settings_.ladder.attempts_max)
            audit_.tell("two_factor.locked", Outcome::refused, user, cause, {{"attempt", attempt}});
        if (is_day_told)
            audit_.tell("two_factor.guessing", Outcome::failure, user, cause, {{"attemptsInADay", in_a_day}});
        if (is_day_told || counted->in_a_row >= noticed_from)
            co_await write_of_failure(user, *counted, std::move(cause));
        co_return error;
    }
    // Concurrent failures locked the account first. This attempt gets the same answer as one that was never evaluated.
    const auto record = co_await state(user);
    auto lock = locked(record);
    co_return lock ? std::move(*lock) : std::move(error);
}

// The failure is already counted and the lock stored.
awaitable<void> TwoFactor::write_of_failure(UserId user, CountedFailure counted, Cause cause) {
    const TimePoint now = clock_.now();
    const bool is_locked = counted.in_a_row >= settings_.ladder.attempts_max;
    storage::Transaction transaction;
    Audit::add(transaction, user, ActivityAction::user_fail_two_factor, cause, now,
               {{"attempt", counted.in_a_row}, {"attemptsInADay", counted.in_a_day}, {"locked", is_locked}});
    mails_.add_notice(transaction, user, is_locked ? MailKind::two_factor_locked : MailKind::two_factor_failed, cause,
                      now);
    co_await best_effort([&] { return database_.commit(std::move(transaction)); });
}

Result<RightProof> TwoFactor::check_code(UserId user, const TwoFactorRecord& record, std::string_view code) const {
    const Bytes secret = secrets_.open(user, *record.iv, *record.secret);
    const auto step = crypto::matching_step(secret, code, clock_.now(), settings_.totp);
    if (!step) return fail(errors::two_factor_invalid);
    if (settings_.replay_protection && *step <= record.last_step) return fail(code_used());
    return RightProof{.user = user,
                      .iv = *record.iv,
                      .step = step,
                      .backup_digest = std::nullopt,
                      .sealed_again = secrets_.seal_again(user, *record.iv, *record.secret, secret)};
}

awaitable<Result<RightProof>> TwoFactor::evaluate(UserId user, Proof proof) {
    if (proof.empty()) co_return fail(errors::two_factor_method_required);
    const auto record = co_await state(user);
    if (!record.enabled) co_return fail(errors::two_factor_not_enabled);
    if (record.required_setup) co_return fail(errors::two_factor_required_setup);
    if (auto lock = locked(record)) co_return fail(std::move(*lock));
    if (!record.iv || !record.secret)
        throw std::runtime_error("two-factor record of user " + user.text() + " lacks its secret");
    if (proof.code) co_return check_code(user, record, *proof.code);
    // A damaged record does not admit its owner, not even with a backup code: open() throws (STO-3).
    secrets_.open(user, *record.iv, *record.secret);
    const auto digest = co_await repository_.find_backup_code(user, secrets_.digests(user, *proof.backup_code));
    if (!digest) co_return fail(errors::two_factor_invalid);
    co_return RightProof{.user = user, .iv = *record.iv, .step = std::nullopt, .backup_digest = digest};
}

awaitable<Result<RightProof>> TwoFactor::verify(UserId user, Proof proof, Cause cause) {
    auto right = co_await evaluate(user, std::move(proof));
    if (!right) co_return fail(co_await settle(user, std::move(right.error()), std::move(cause)));
    co_return right;
}

awaitable<Result<std::optional<RightProof>>> TwoFactor::verify_if(bool is_due, UserId user, Proof proof, Cause cause) {
    if (!is_due) co_return std::nullopt;
    auto right = co_await verify(user, std::move(proof), std::move(cause));
    if (!right) co_return fail(std::move(right.error()));
    co_return std::move(*right);
}

void TwoFactor::spend(storage::Transaction& transaction, const RightProof& proof, const Cause& cause,
                      SpentFor purpose) const {
    TwoFactorRepository::add_spend(transaction, proof, settings_.replay_protection, moment());
    if (!proof.backup_digest) return;
    const auto kind = purpose == SpentFor::login ? MailKind::backup_code_used : MailKind::backup_code_used_for_change;
    mails_.add_notice(transaction, proof.user, kind, cause, clock_.now());
}

void TwoFactor::tell_spent(const std::optional<RightProof>& proof, const Cause& cause) const {
    if (proof && proof->backup_digest) audit_.tell("two_factor.backup_code_used", Outcome::success, proof->user, cause);
}

awaitable<Error> TwoFactor::lost(RightProof proof, Cause cause) {
    const auto record = co_await state(proof.user);
    if (auto lock = locked(record)) co_return std::move(*lock);
    if (!record.active()) co_return Error{errors::two_factor_not_enabled};
    // Another right code has sealed the secret again meanwhile, so this one was compared with the former record.
    const bool is_unused = proof.step && (!settings_.replay_protection || *proof.step > record.last_step);
    if (is_unused && proof.sealed_again && record.iv != proof.iv) throw changed_meanwhile();
    co_return co_await settle(proof.user, proof.step ? code_used() : Error{errors::two_factor_invalid},
                              std::move(cause));
}

std::vector<crypto::Sha256> TwoFactor::digests_of(UserId user, const std::vector<std::string>& codes) const {
    std::vector<crypto::Sha256> out;
    out.reserve(codes.size());
    for (const std::string& code : codes) out.push_back(secrets_.digest(user, code));
    return out;
}

awaitable<Result<std::vector<std::string>>> TwoFactor::enable(Actor by, User user, SessionId keep, std::string code,
                                                              Cause cause) {
    const auto record = co_await state(user.id);
    if (record.enabled) co_return fail(errors::two_factor_already_enabled);
    if (!record.secret) co_return fail(errors::two_factor_required_setup);
    if (auto lock = locked(record)) co_return fail(std::move(*lock));
    auto proof = check_code(user.id, record, code);
    if (!proof) co_return fail(co_await settle(user.id, std::move(proof.error()), std::move(cause)));

    const TimePoint now = clock_.now();
    auto codes = TwoFactorSecrets::new_backup_codes();
    PrivilegedTransaction transaction(by, now);
    TwoFactorRepository::add_enable(transaction, *proof, settings_.replay_protection, moment());
    TwoFactorRepository::add_backup_codes(transaction, user.id, digests_of(user.id, codes));
    // Ends logins in progress that began while two-factor was off.
    Grants::add_rise(transaction, user.id, user.security_version,
                     {.session = keep, .identities = true, .devices = true}, "twoFactorEnabled", now);
    Audit::add(transaction, user.id, ActivityAction::user_enable_two_factor, cause, now);
    mails_.add_notice(transaction, user.id, MailKind::two_factor_enabled, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (outcome->committed) {
        audit_.tell("two_factor.enabled", Outcome::success, user.id, cause);
        co_return codes;
    }
    if (outcome->failed_at > 0) throw changed_meanwhile();
    const auto after = co_await state(user.id);
    if (after.enabled) co_return fail(errors::two_factor_already_enabled);
    co_return fail(co_await settle(user.id, code_used(), std::move(cause)));
}

awaitable<Result<std::vector<std::string>>> TwoFactor::enable_required(User owner, std::string code, Cause cause) {
    const UserId user = owner.id;
    const auto record = co_await state(user);
    if (!record.enabled) co_return fail(errors::two_factor_not_enabled);
    if (!record.required_setup || !record.secret) co_return fail(errors::two_factor_not_required_setup);
    if (auto lock = locked(record)) co_return fail(std::move(*lock));
    auto proof = check_code(user, record, code);
    if (!proof) co_return fail(co_await settle(user, std::move(proof.error()), std::move(cause)));
    auto codes = TwoFactorSecrets::new_backup_codes();
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    UserRepository::add_lock(transaction, user);
    TwoFactorRepository::add_backup_codes(transaction, user, digests_of(user, codes));
    // The challenge that allows this belongs to a generation as well. Compared after the codes, so that they are of no
    // newer epoch.
    const std::size_t generation_at = transaction.statements().size();
    UserRepository::add_same_generation(transaction, owner);
    TwoFactorRepository::add_enable(transaction, *proof, settings_.replay_protection, moment());
    Audit::add(transaction, user, ActivityAction::user_enable_two_factor, cause, now);
    mails_.add_notice(transaction, user, MailKind::two_factor_enabled, cause, now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) {
        if (outcome.failed_at <= generation_at) co_return fail(errors::two_factor_challenge_invalid);
        const auto after = co_await state(user);
        if (after.active()) co_return fail(errors::two_factor_not_required_setup);
        co_return fail(co_await settle(user, code_used(), std::move(cause)));
    }
    audit_.tell("two_factor.enabled", Outcome::success, user, cause, {{"forced", "true"}});
    co_return codes;
}

awaitable<Result<std::vector<std::string>>> TwoFactor::regenerate(Actor by, UserId user, Cause cause) {
    auto codes = TwoFactorSecrets::new_backup_codes();
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    TwoFactorRepository::add_still_enabled(transaction, user, now);
    TwoFactorRepository::add_backup_codes(transaction, user, digests_of(user, codes));
    Audit::add(transaction, user, ActivityAction::user_regenerate_two_factor_backup_codes, cause, now);
    mails_.add_notice(transaction, user, MailKind::backup_codes_replaced, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::two_factor_not_enabled);
    audit_.tell("two_factor.backup_codes_replaced", Outcome::success, user, cause);
    co_return codes;
}

awaitable<Result<void>> TwoFactor::disable(Actor by, User user, SessionId keep, Proof proof, Cause cause) {
    const auto record = co_await state(user.id);
    if (!record.enabled) co_return fail(errors::two_factor_not_enabled);
    auto right = co_await verify(user.id, std::move(proof), cause);
    if (!right) co_return fail(std::move(right.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    spend(transaction, *right, cause);
    const std::size_t spent = transaction.size();
    TwoFactorRepository::add_disable(transaction, user.id, now);
    Grants::add_rise(transaction, user.id, user.security_version,
                     {.session = keep, .identities = true, .devices = true}, "twoFactorDisabled", now);
    Audit::add(transaction, user.id, ActivityAction::user_disable_two_factor, cause, now);
    mails_.add_notice(transaction, user.id, MailKind::two_factor_disabled, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (outcome->committed) {
        tell_spent(*right, cause);
        audit_.tell("two_factor.disabled", Outcome::success, user.id, cause);
        co_return Result<void>{};
    }
    if (outcome->failed_at < spent) co_return fail(co_await lost(std::move(*right), std::move(cause)));
    if (outcome->failed_at > spent) throw changed_meanwhile();
    co_return fail(errors::two_factor_not_enabled);
}

awaitable<Result<TwoFactor::Removed>> TwoFactor::reset(Actor by, User user, After after, Cause cause) {
    const TimePoint now = clock_.now();
    if (after == After::set_up_required) {
        // A repeated request after a lost answer changes nothing (RAC-4). A later one is meant: it renews the time.
        const auto record = co_await state(user.id);
        const bool is_recent =
            record.set_up_allowed_at && happened_within(repeated_reset_max, *record.set_up_allowed_at, now);
        if (record.required_setup && is_recent && !record.secret && !locked(record)) co_return Removed::factor;
    }
    PrivilegedTransaction transaction(by, now, user.id);
    if (after == After::off) {
        TwoFactorRepository::add_disable(transaction, user.id, now);
    } else {
        TwoFactorRepository::add_reset(transaction, user.id, now);
    }
    Grants::add_rise(transaction, user.id, user.security_version, {.identities = true}, "twoFactorReset", now);
    Audit::add(transaction, user.id, ActivityAction::admin_user_reset_two_factor, cause, now);
    // The notice omits the origin: it is the administrator's, and not the owner's concern.
    mails_.add(transaction, user.id, after == After::off ? MailKind::two_factor_removed : MailKind::two_factor_reset,
               {}, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (outcome->committed) {
        audit_.tell("two_factor.reset", Outcome::success, user.id, cause,
                    {{"after", after == After::off ? "off" : "set-up required"}});
        co_return Removed::factor;
    }
    if (outcome->failed_at > 0) throw changed_meanwhile();
    if (after == After::off) co_return fail(errors::two_factor_not_enabled);
    co_return co_await unlock_set_up(by, user.id, cause);
}

awaitable<Result<TwoFactor::Removed>> TwoFactor::unlock_set_up(Actor by, UserId user, Cause cause) {
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now, user);
    TwoFactorRepository::add_unlock_set_up(transaction, user, now);
    Audit::add(transaction, user, ActivityAction::admin_user_unlock, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::two_factor_not_enabled);
    audit_.tell("account.unlocked", Outcome::success, user, cause);
    co_return Removed::set_up_lock;
}

}  // namespace consentry
