// The SQL of passwords: attempts, history, the change itself.
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

// How a password came to be, in the history.
enum class PasswordType { sign_up, admin, profile, forgot };

class PasswordRepository {
public:
    explicit PasswordRepository(storage::Database& database) : database_(database) {}

    // Reserves an attempt before the password is looked at: of one account no more are under way, over all instances,
    // than failures are left before a lock, and one where none is left. A reservation is no failure: a right password
    // clears it, and only fail() locks. One statement, durable on return. False: locked, or too many are under way.
    awaitable<bool> reserve(UserId user, LockLadder ladder, TimePoint now);
    // Makes a failure of a reservation, and locks from the ladder's first rung on. How many failures there are now.
    awaitable<std::int64_t> fail(UserId user, LockLadder ladder, TimePoint now);
    awaitable<std::optional<TimePoint>> locked_until(UserId user);
    // The same for an address that belongs to nobody.
    awaitable<bool> reserve_unknown(crypto::Sha256 address, LockLadder ladder, TimePoint now);
    awaitable<std::int64_t> fail_unknown(crypto::Sha256 address, LockLadder ladder, TimePoint now);
    awaitable<std::optional<TimePoint>> unknown_locked_until(crypto::Sha256 address);
    // Rows of unknown addresses that nobody tried since.
    awaitable<void> forget_unknown(TimePoint before);

    // After a right password: no failure, no lock, nothing under way.
    awaitable<void> clear(UserId user);
    // A better hash of the same password; nothing happens where the password changed in the meantime.
    awaitable<void> rehash(UserId user, std::string old_hash, std::string new_hash);
    // Unexpired, newest first.
    awaitable<std::vector<std::string>> history(UserId user, TimePoint now, std::int64_t limit);

    struct Change {
        UserId user;
        std::int64_t expected = 0;  // the account's security version
        std::string_view hash;
        std::optional<TimePoint> expires_at;
        std::string_view reason;  // why its sessions ended
    };
    // Expect::one: the account's security version is still `expected`; it rises, and what was granted before ends but
    // for `kept`. Counter and lock are cleared.
    static void add_change(storage::Transaction& transaction, const Change& change, const Kept& kept, TimePoint now);
    // After add_change(): the password is a temporary one.
    static void add_must_change(PrivilegedTransaction& transaction, UserId user);
    static void add_history(storage::Transaction& transaction, UserId user, std::string_view hash, PasswordType type,
                            TimePoint expires_at, TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry
