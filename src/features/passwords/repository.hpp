// The SQL of passwords: attempts, history and changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/lock_ladder.hpp"
#include "crypto/digest.hpp"
#include "features/sessions/grants.hpp"
#include "features/users/actor.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// How a password was set, as the history records it.
enum class PasswordType { sign_up, admin, profile, forgot };

// A wrong password, as counted.
struct PasswordFailure {
    std::int64_t attempt = 0;  // failures since the last success
    // It locked, and none before it did since the last success: true for one failure, however many end at once.
    bool is_first_lock = false;
};

class PasswordRepository {
public:
    explicit PasswordRepository(storage::Database& database) : database_(database) {}

    // Reserves an attempt before the password is checked. Over all instances, an account has at most as many attempts
    // in progress as failures are left before a lock, and at least one. A reservation is not a failure: a correct
    // password clears it, and only fail() locks. One statement, durable on return. Returns false if the account is
    // locked or too many attempts are in progress.
    awaitable<bool> reserve(UserId user, LockLadder ladder, TimePoint now);
    // Turns a reservation into a failure, and locks from the ladder's first rung on.
    awaitable<PasswordFailure> fail(UserId user, LockLadder ladder, TimePoint now);
    // Takes a reservation back: the password was not checked.
    awaitable<void> release(UserId user);
    awaitable<std::optional<TimePoint>> locked_until(UserId user);
    // The same for an address without an account. Counts anew what was last tried before `cleared`, as if an owner had
    // logged in then, unless the lock of the address would have kept the owner out.
    awaitable<bool> reserve_unknown(crypto::Sha256 address, LockLadder ladder, TimePoint now, TimePoint cleared);
    awaitable<PasswordFailure> fail_unknown(crypto::Sha256 address, LockLadder ladder, TimePoint now);
    awaitable<void> release_unknown(crypto::Sha256 address);
    awaitable<std::optional<TimePoint>> unknown_locked_until(crypto::Sha256 address);
    // Deletes the rows of unknown addresses that were not tried since `before`.
    awaitable<void> forget_unknown(TimePoint before);

    // For a correct password: clears failures, lock and reservations.
    awaitable<void> clear(UserId user);
    // Does the same on an administrator's authority. Expect::one: the account exists.
    static void add_unlock(PrivilegedTransaction& transaction, UserId user, TimePoint now);
    // Stores a better hash of the same password. Does nothing if the password has changed meanwhile.
    awaitable<void> rehash(UserId user, std::string old_hash, std::string new_hash);
    // Unexpired entries, newest first.
    awaitable<std::vector<std::string>> history(UserId user, TimePoint now, std::int64_t limit);
    // Deletes the entries of all accounts that expired before this time, those of passwords in use included.
    awaitable<void> erase_history(TimePoint before);

    struct Change {
        UserId user;
        std::int64_t expected = 0;  // the account's expected security version
        std::string_view hash;
        std::optional<TimePoint> expires_at;
        std::string_view reason;  // why the account's sessions ended
    };
    // Expect::one: the account's security version is still `expected`. Raises the version, which ends all earlier
    // grants except `kept`. Clears failures, lock and reservations.
    static void add_change(storage::Transaction& transaction, const Change& change, const Kept& kept, TimePoint now);
    // Add after add_change(): marks the new password as temporary.
    static void add_must_change(PrivilegedTransaction& transaction, UserId user);
    static void add_history(storage::Transaction& transaction, UserId user, std::string_view hash, PasswordType type,
                            TimePoint expires_at, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
