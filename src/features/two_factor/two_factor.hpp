// The second factor: set-up, confirmation, verification, backup codes, lock, reset.
//
// A proof (code or backup code) is looked at without a trace, and what follows from it is one conditional
// transaction: right spends it together with what it allows, wrong counts. Whichever of many parallel attempts
// commits after the fifth failure is refused by the lock, whatever it carried, so guessing in parallel gains nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "crypto/totp.hpp"
#include "features/activity/audit.hpp"
#include "features/mail/mails.hpp"
#include "features/two_factor/repository.hpp"
#include "features/two_factor/secrets.hpp"

namespace consentry {

struct TwoFactorSettings {
    std::string issuer;
    std::string label;  // before the address in the authenticator app; usually the issuer
    std::vector<std::string> encryption_keys;
    bool replay_protection = true;
    crypto::TotpSettings totp;
    LockLadder ladder;
};

// What a request carried. Both empty: nothing.
struct Proof {
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    bool empty() const { return !code && !backup_code; }
};

struct NewSecret {
    std::string secret;  // base32
    std::string otpauth_url;
};

class TwoFactor {
public:
    TwoFactor(storage::Database& database, const Clock& clock, Mails& mails, Audit audit, TwoFactorSettings settings);

    awaitable<TwoFactorRecord> state(UserId user);  // all off where there is no record

    awaitable<Result<NewSecret>> set_up(Actor by, UserId user, std::string email, Cause cause);
    // For a user who must set up anew before anything else (after an admin's reset).
    awaitable<Result<NewSecret>> set_up_required(UserId user, std::string email);
    // Turns on, ends the user's sessions but `keep`, which asks, and hands out backup codes.
    awaitable<Result<std::vector<std::string>>> enable(Actor by, User user, SessionId keep, std::string code,
                                                       Cause cause);
    awaitable<Result<std::vector<std::string>>> enable_required(User owner, std::string code, Cause cause);
    awaitable<Result<std::vector<std::string>>> regenerate(Actor by, UserId user, Cause cause);
    awaitable<Result<void>> disable(Actor by, User user, SessionId keep, Proof proof, Cause cause);
    // Takes the factor away without a proof; everything granted before ends.
    enum class After {
        set_up_required,  // it stays on, and the owner sets up anew at the next login
        off,              // only for the operator at the machine
    };
    awaitable<Result<void>> reset(Actor by, User user, After after, Cause cause);

    // Whether the proof is right; wrong ones are counted and refused here. A right one is spent by spend().
    awaitable<Result<RightProof>> verify(UserId user, Proof proof, Cause cause);
    // The same in two halves, for a caller who must look at something else before a failure counts: evaluate() leaves
    // no trace, settle() counts where the error is a wrong proof and says what to answer.
    awaitable<Result<RightProof>> evaluate(UserId user, Proof proof);
    awaitable<Error> settle(UserId user, Error error, Cause cause);
    // A spent backup code is told to the owner by mail, and what for.
    enum class SpentFor { login, change };
    void spend(storage::Transaction& transaction, const RightProof& proof, const Cause& cause,
               SpentFor purpose = SpentFor::change) const;
    // Once it is spent: a used backup code is worth a line of its own (TFA-15).
    void tell_spent(const RightProof& proof, const Cause& cause) const;
    // For a transaction that failed on a statement of spend(): somebody spent it first, or a lock came in between.
    // Counts where that is due and says what to answer.
    awaitable<Error> lost(RightProof proof, Cause cause);

private:
    Result<RightProof> check_code(UserId user, const TwoFactorRecord& record, std::string_view code) const;
    // Once per run of failures. The lock itself stands already.
    awaitable<void> write_of_failure(UserId user, std::int64_t attempt, Cause cause);
    std::optional<Error> locked(const TwoFactorRecord& record) const;
    NewSecret describe(const std::string& email, BytesView secret) const;
    std::vector<crypto::Sha256> digests_of(UserId user, const std::vector<std::string>& codes) const;

    storage::Database& database_;
    TwoFactorRepository repository_;
    const Clock& clock_;
    Mails& mails_;
    Audit audit_;
    TwoFactorSettings settings_;
    TwoFactorSecrets secrets_;
};

}  // namespace consentry
