// Checks passwords, limiting attempts, and changes them according to a policy.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/lock_ladder.hpp"
#include "features/activity/audit.hpp"
#include "features/passwords/account_turns.hpp"
#include "features/passwords/failure_floor.hpp"
#include "features/passwords/hasher.hpp"
#include "features/passwords/lock_notices.hpp"
#include "features/passwords/policy.hpp"
#include "features/passwords/repository.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/account_tokens.hpp"
#include "features/users/consent.hpp"
#include "features/users/repository.hpp"

namespace consentry {

struct PasswordSettings {
    bool count_attempts = true;
    LockLadder ladder;
    std::chrono::seconds expiry{0};  // zero: passwords do not expire
    std::chrono::seconds temporary_expiry{259'200};
    std::chrono::seconds reuse_barred{7'776'000};
    std::string service_name;
    std::string username_prefix = "user";  // of new accounts
    std::size_t checks_at_once = 2;        // of one account
    std::size_t history_checks_at_once = 1;
    std::string address_key;  // keys the digests of unknown addresses
};

// The reset of a forgotten password. The token proves the address; the proof is required if the second factor is on.
struct PasswordReset {
    std::string token;
    std::string new_password;
    Proof proof;
};

struct PasswordChange {
    std::string old_password;
    std::string new_password;
    Proof proof;
};

class Passwords {
public:
    Passwords(storage::Database& database, const Clock& clock, PasswordHasher& hasher, TwoFactor& two_factor,
              Consents& consents, Mails& mails, Audit audit, PasswordSettings settings);

    // Checks whether the password is the account's. Pass an empty `user` if no account has this address: the answer is
    // the same, after the same time. Errors: passwordNotMatch, passwordAttemptMax. After a success the attempt stays
    // reserved until the caller clears it, either in the transaction that the login makes or with clear().
    struct Checked {
        bool needs_rehash = false;
        // Must live until the attempt is cleared. If it ended earlier, concurrent correct logins would add up as
        // failures.
        AccountTurns::Turn turn;
    };
    awaitable<Result<Checked>> check(std::optional<User> user, std::string email, std::string password, Cause cause);
    awaitable<void> clear(UserId user);
    // For a password that was correct when checked, but has been changed since. Counts a failure.
    awaitable<void> was_wrong(UserId user, Cause cause);
    // Stores a new hash after a login with a hash of another kind or cost. Ignores Unavailable: the old hash still
    // verifies.
    awaitable<void> rehash(User user, std::string password);

    // Adds what is wrong with a chosen password, besides its form, to `report` under `property`: for the report of the
    // request that carries it. `email` is the owner's, or empty if only the service can find it.
    void check_choice(std::string_view password, std::string_view email, std::string_view property,
                      Report& report) const;
    // Changes the password and ends all sessions of the account, including the caller's. Error passwordNotSet if the
    // account has no password: set the first one with a link mailed to the address, which proves it.
    awaitable<Result<void>> change(Actor by, UserId id, PasswordChange change, Cause cause);
    // Sets the password for the operator's command. The policy applies here too.
    awaitable<Result<void>> set(User user, std::string password);
    // Creates an account with its first password. Errors: validation, emailExist.
    awaitable<Result<UserId>> create(User wanted, std::string password);
    // Prepares an account to be created: fills in id, user name, hash and times. Error: validation.
    awaitable<Result<User>> prepare_account(User user, std::string password, ClientNetwork network = {});
    // Adds the statements that create it to a new transaction: its row first, then its password history.
    void add_account(storage::Transaction& transaction, const User& user, PasswordType type) const;
    // Explains a commit that failed on the first statement: emailExist. Throws Unavailable if the random user name was
    // taken.
    awaitable<Error> account_exists(std::string email);

    // Sets a temporary password and mails it to the owner, who alone learns it. It is valid for a few days, and only
    // for setting a new password. Ends all sessions of the account. If the address is unproven, the reader of its mail
    // takes the account over.
    awaitable<Result<void>> give_temporary(Actor by, User user, Cause cause);
    // Creates an account for an administrator, with a temporary password. Using that password proves access to the
    // address, so the account counts as verified. Error: emailExist.
    awaitable<Result<UserId>> create_with_temporary(Actor by, User wanted, Cause cause);

    // Sets a new password with a token from a mail, without logging in. Errors: validation, tokenInvalid,
    // passwordMustNew, and those of the second factor.
    awaitable<Result<void>> reset(PasswordReset reset, Cause cause);

    // Deletes unknown addresses that were not tried for long, and hash kinds that no account uses any more.
    awaitable<void> forget_old();
    // Deletes the hashes that bar no password any more.
    awaitable<void> forget_former();

    // Mailing of lock notices, and timing of failed checks.
    LockNotices& lock_notices() { return lock_notices_; }
    FailureFloor& failure_floor() { return floor_; }

private:
    // Whose failures are counted: those of an account, or of an address without an account.
    struct Counted {
        std::optional<UserId> user;
        crypto::Sha256 address;
    };
    // Reserves an attempt and a place in the hash pool. Error: passwordAttemptMax. Throws Unavailable if the pool is
    // full, or other checks of the account do not finish in time.
    awaitable<Result<WorkerPool::Place>> reserve(Counted counted, ClientNetwork network);
    // Verifies the password in the place that reserve() returned. If that fails, it takes the attempt back: only a
    // password that was compared can be wrong.
    awaitable<PasswordHasher::Verified> compare(Counted counted, WorkerPool::Place place, std::string password,
                                                std::optional<std::string> stored);
    awaitable<void> release(Counted counted);
    awaitable<void> count_failure(Counted counted, Cause cause);
    awaitable<Result<void>> check_new(std::string password, std::string email, std::string property);
    awaitable<Result<void>> reset_by(PasswordReset reset, const Cause& cause);
    struct NewPassword {
        std::string_view hash;
        PasswordType type;
        std::string_view reason;  // for which the sessions end
        std::optional<TimePoint> expires_at;
    };
    // Gives the account the password and bars it from reuse. Expect::one: the account is still of the version of
    // `owner`. Ends all that was granted before except the identities.
    void add_password(storage::Transaction& transaction, const User& owner, const NewPassword& password,
                      TimePoint now) const;
    // Compares the password with former ones and with the one in use, which has the hash `current`. Error:
    // passwordMustNew.
    awaitable<Result<void>> check_history(UserId user, std::optional<std::string> current, const std::string& password,
                                          ClientNetwork network);
    std::string temporary_password(const std::string& email) const;
    std::optional<TimePoint> expiry(TimePoint now) const;
    crypto::Sha256 address_digest(std::string_view email) const;

    storage::Database& database_;
    PasswordRepository repository_;
    UserRepository users_;
    const Clock& clock_;
    PasswordHasher& hasher_;
    AccountTokens tokens_;
    TwoFactor& two_factor_;
    Consents& consents_;
    Mails& mails_;
    Audit audit_;
    PasswordSettings settings_;
    PasswordPolicy policy_;
    AccountTurns turns_;
    AccountTurns history_turns_;  // shared by all accounts
    LockNotices lock_notices_;
    FailureFloor floor_;
};

}  // namespace consentry
