// Passwords: checked with a limit on attempts, changed under a policy.
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

// A new password for a forgotten one: the link proves the address, the proof the second factor where it is on.
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

    // Whether the password is the account's. `user` empty: nobody has this address, and the answer is the same in the
    // same time. Errors: passwordNotMatch, passwordAttemptMax. On success the attempt is still counted: the caller
    // clears it together with what it allows, or by clear().
    struct Checked {
        bool needs_rehash = false;
        // Kept until the count is cleared: a turn that ended earlier would let right logins pile up as failures.
        AccountTurns::Turn turn;
    };
    awaitable<Result<Checked>> check(std::optional<User> user, std::string email, std::string password, Cause cause);
    awaitable<void> clear(UserId user);
    // For a password that was right when it was checked, and is the account's no more.
    awaitable<void> was_wrong(UserId user, Cause cause);
    // After a login with a hash of another kind or cost. A failure is nobody's concern: the old hash still verifies.
    awaitable<void> rehash(User user, std::string password);

    // Ends all sessions of the account, the one that asks included.
    // passwordNotSet where there is none to change: the first one comes by the link to a mailbox that proves the
    // address.
    awaitable<Result<void>> change(Actor by, UserId user, PasswordChange change, Cause cause);
    // By the operator at the machine; the policy holds here too.
    awaitable<Result<void>> set(User user, std::string password);
    // A new account with its first password. Errors: validation, emailExist.
    awaitable<Result<UserId>> create(User user, std::string password);
    // An account that is about to be made. Fills what is the service's to fill: id, user name, hash, times. Error:
    // validation.
    awaitable<Result<User>> prepare_account(User user, std::string password, ClientNetwork network = {});
    // Adds the statements that make it, its row first and then its history, to a new transaction.
    void add_account(storage::Transaction& transaction, const User& user, PasswordType type) const;
    // Why it was not committed, where its first statement failed: emailExist. Throws Unavailable where the random user
    // name is taken.
    awaitable<Error> account_exists(std::string email);

    // A temporary password: mailed to the owner, whom alone it is known to, good for some days and for nothing but
    // setting another one. Ends all sessions of the account.
    awaitable<Result<void>> give_temporary(Actor by, User user, Cause cause);
    // A new account by an administrator, with such a password. Whoever can use it reads the mails of the address, so
    // the account is verified. Error: emailExist.
    awaitable<Result<UserId>> create_with_temporary(Actor by, User user, Cause cause);

    // Sets a new password with a token of a mail, and logs nobody in. Errors: validation, tokenInvalid,
    // passwordMustNew, and those of the second factor.
    awaitable<Result<void>> reset(PasswordReset reset, Cause cause);

    // Unknown addresses that nobody tried for long, and kinds of hashes that no account has any more.
    awaitable<void> forget_old();

    // What an owner is told of a lock, and when failures are answered.
    LockNotices& lock_notices() { return lock_notices_; }
    FailureFloor& failure_floor() { return floor_; }

private:
    // Whose failures are counted: an account's, or those of an address that nobody has.
    struct Counted {
        std::optional<UserId> user;
        crypto::Sha256 address;
    };
    // The right to hash once. Error: passwordAttemptMax. Throws Unavailable where no place is free, or others of the
    // account stay under way.
    awaitable<Result<WorkerPool::Place>> reserve(Counted counted, ClientNetwork network);
    awaitable<void> count_failure(Counted counted, Cause cause);
    awaitable<Result<void>> check_new(std::string password, std::string email, std::string property);
    awaitable<Result<void>> reset_by(PasswordReset reset, const Cause& cause);
    // Error: passwordMustNew.
    awaitable<Result<void>> check_history(UserId user, const std::string& password, ClientNetwork network);
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
    AccountTurns history_turns_;  // of all accounts together
    LockNotices lock_notices_;
    FailureFloor floor_;
};

}  // namespace consentry
