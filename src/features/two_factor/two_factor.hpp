// The second factor: set-up, confirmation, verification, backup codes, lock, reset.
//
// A proof (code or backup code) is evaluated without side effects; its outcome is then one conditional transaction. A
// right proof is spent together with what it allows, a wrong one is counted. Of many parallel attempts, the lock
// rejects all that commit after the fifth failure, right or wrong, so parallel guessing gains nothing.
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
    std::string label;  // precedes the address in the authenticator app; usually the issuer
    std::vector<std::string> encryption_keys;
    bool replay_protection = true;
    std::chrono::hours set_up_lifetime{};  // of a set-up that a reset requires
    crypto::TotpSettings totp;
    LockLadder ladder;
};

// The proof that a request carries; both members are empty if it carries none.
struct Proof {
    std::optional<std::string> code;
    std::optional<std::string> backup_code;
    bool empty() const { return !code && !backup_code; }
};

struct NewSecret {
    std::string secret;  // base32
    std::string otpauth_url;
    Bytes iv;  // of the record that holds it; identifies the set-up
};

class TwoFactor {
public:
    TwoFactor(storage::Database& database, const Clock& clock, Mails& mails, Audit audit, TwoFactorSettings settings);

    awaitable<TwoFactorRecord> state(UserId user);  // all off if the user has no record
    // The same for accounts in the order of their IDs, from the first to the last; without those that have no record.
    awaitable<std::map<UserId, TwoFactorRecord>> states(UserId first, UserId last) {
        return repository_.find_between(first, last);
    }

    awaitable<Result<NewSecret>> set_up(Actor by, UserId user, std::string email, Cause cause);
    // For a user who must set up again before anything else, after an administrator's reset. The transaction fails
    // there if the user need not, or no longer can.
    NewSecret add_required_set_up(storage::Transaction& transaction, UserId user, const std::string& email) const;
    // Turns two-factor on and returns the backup codes. Ends the user's sessions except `keep`, the caller's.
    awaitable<Result<std::vector<std::string>>> enable(Actor by, User user, SessionId keep, std::string code,
                                                       Cause cause);
    awaitable<Result<std::vector<std::string>>> enable_required(User owner, std::string code, Cause cause);
    awaitable<Result<std::vector<std::string>>> regenerate(Actor by, UserId user, Cause cause);
    awaitable<Result<void>> disable(Actor by, User user, SessionId keep, Proof proof, Cause cause);
    // After a reset of the password by a mailed link, which proves the mailbox: if a set-up is required, its time
    // begins again.
    void add_set_up_allowed(storage::Transaction& transaction, UserId user) const {
        TwoFactorRepository::add_set_up_allowed(transaction, user, clock_.now());
    }
    // When the first factor alone no longer permits a required set-up; may be in the past. nullopt: none is required,
    // or it has no end.
    std::optional<TimePoint> end_of_set_up(const TwoFactorRecord& record) const;
    // Removes the factor without a proof, and ends everything granted before.
    enum class After {
        set_up_required,  // two-factor stays on; the owner sets it up again at the next login, in set_up_lifetime
        off,              // only for the operator at the machine
    };
    enum class Removed {
        factor,
        set_up_lock,  // two-factor is not on, and not After::off: the failures and the lock of a set-up. Nothing ends
    };
    // Errors: twoFactorNotEnabled.
    awaitable<Result<Removed>> reset(Actor by, User user, After after, Cause cause);

    // Checks a proof. Counts a wrong one and returns its error; twoFactorMethodRequired if there is none. The caller
    // spends a right one with spend().
    awaitable<Result<RightProof>> verify(UserId user, Proof proof, Cause cause);
    // The same for changes that take a proof only if one is due. nullopt: none is due.
    awaitable<Result<std::optional<RightProof>>> verify_if(bool is_due, UserId user, Proof proof, Cause cause);
    // verify() in two halves, for a caller who must check something else before a failure counts. evaluate() has no
    // side effects; settle() counts the failure if `error` means a wrong proof, and returns the error to answer.
    awaitable<Result<RightProof>> evaluate(UserId user, Proof proof);
    awaitable<Error> settle(UserId user, Error error, Cause cause);
    // The mail to the owner about a spent backup code says which of these it was used for.
    enum class SpentFor { login, change };
    void spend(storage::Transaction& transaction, const RightProof& proof, const Cause& cause,
               SpentFor purpose = SpentFor::change) const;
    void spend(storage::Transaction& transaction, const std::optional<RightProof>& proof, const Cause& cause) const {
        if (proof) spend(transaction, *proof, cause);
    }
    // Call after the commit. Writes an audit line for a used backup code (TFA-15).
    void tell_spent(const std::optional<RightProof>& proof, const Cause& cause) const;
    // For a transaction that failed on a statement of spend(), because the proof was spent or the account locked
    // meanwhile. Counts a failure if one is due, and returns the error to answer.
    awaitable<Error> lost(RightProof proof, Cause cause);

private:
    awaitable<Result<Removed>> unlock_set_up(Actor by, UserId user, Cause cause);
    Result<RightProof> check_code(UserId user, const TwoFactorRecord& record, std::string_view code) const;
    // Writes the log entry and the mail for a counted failure; the lock is already stored.
    awaitable<void> write_of_failure(UserId user, CountedFailure counted, Cause cause);
    TwoFactorMoment moment() const;
    std::optional<Error> locked(const TwoFactorRecord& record) const;
    NewSecret describe(const std::string& email, BytesView secret, const Bytes& iv) const;
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
