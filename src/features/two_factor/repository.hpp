// The SQL of second factors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/lock_ladder.hpp"
#include "crypto/digest.hpp"
#include "features/two_factor/secrets.hpp"
#include "features/users/actor.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

struct TwoFactorRecord {
    bool enabled = false;
    bool required_setup = false;
    std::optional<Bytes> iv;      // of the sealed secret; identifies the set-up
    std::optional<Bytes> secret;  // sealed
    std::int64_t last_step = 0;   // the latest time step whose code was accepted
    std::optional<TimePoint> locked_until;
    std::optional<TimePoint> confirmed_at;
    std::optional<TimePoint> last_used_at;
    std::optional<TimePoint> set_up_allowed_at;  // of a required set-up; nullopt: without end, by an earlier version
    std::int64_t backup_codes = 0;               // unspent

    bool active() const { return enabled && !required_setup; }
    bool pending() const { return secret.has_value() && !active(); }
};

// A proof found right. It is spent only when the transaction to which it is added commits.
struct RightProof {
    UserId user;
    Bytes iv;                                     // the set-up it was checked against
    std::optional<std::int64_t> step;             // of a code
    std::optional<crypto::Sha256> backup_digest;  // of a backup code
    // Of a code, if a former key has sealed the secret: replaces it, so that the former key can be removed (CRY-4).
    std::optional<TwoFactorSecrets::Sealed> sealed_again = {};
};

// One moment by both clocks (base/clock.hpp): locks end by the one, and people read the other.
struct TwoFactorMoment {
    TimePoint now;
    TimePoint lock_time;
};

// How many failures there are, with the one just counted.
struct CountedFailure {
    std::int64_t in_a_row = 0;  // since the last success
    std::int64_t in_a_day = 0;  // since the first one of a period of a day, whatever succeeded in between
};

class TwoFactorRepository {
public:
    explicit TwoFactorRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<TwoFactorRecord>> find(UserId user);
    // Of all accounts with these IDs and those between that have a record.
    awaitable<std::map<UserId, TwoFactorRecord>> find_between(UserId first, UserId last);
    // Returns the first of the digests that belongs to an unspent backup code of the user.
    awaitable<std::optional<crypto::Sha256>> find_backup_code(UserId user, std::vector<crypto::Sha256> digests);

    // Stores a new pending secret. Expect::one: two-factor is off.
    static void add_pending(PrivilegedTransaction& transaction, UserId user, const Bytes& iv, const Bytes& secret,
                            TimePoint now);
    // The same for a user who must set up again. Expect::one: the user must, and less than `lifetime` has passed since
    // that was allowed.
    static void add_required(storage::Transaction& transaction, UserId user, const Bytes& iv, const Bytes& secret,
                             milliseconds lifetime, TimePoint now);
    // Begins the lifetime of the set-up again if the user must set up again; otherwise changes nothing.
    static void add_set_up_allowed(storage::Transaction& transaction, UserId user, TimePoint now);

    // Counts one failure, and locks from the ladder's first rung on. One statement, durable before the answer. Returns
    // nullopt if already locked, in which case nothing is counted.
    awaitable<std::optional<CountedFailure>> count_failure(UserId user, LockLadder ladder, TwoFactorMoment at);

    // The first statement (for backup codes, the first two) is an Expect::one. It fails if the proof was spent, the
    // set-up replaced, or the user locked in the meantime. Success clears the failures in a row and the lock.
    static void add_spend(storage::Transaction& transaction, const RightProof& proof, bool replay_protection,
                          TwoFactorMoment at);
    static void add_enable(storage::Transaction& transaction, const RightProof& proof, bool replay_protection,
                           TwoFactorMoment at);
    static void add_disable(PrivilegedTransaction& transaction, UserId user, TimePoint now);
    static void add_reset(PrivilegedTransaction& transaction, UserId user, TimePoint now);
    // Clears failures and lock. The last used time step stays: no spent code becomes valid again (TFA-3).
    static void add_unlock(PrivilegedTransaction& transaction, UserId user, TimePoint now);
    // The same for a factor that is not on: wrong codes of its set-up count too. Expect::one: something was counted.
    static void add_unlock_set_up(PrivilegedTransaction& transaction, UserId user, TimePoint now);
    // Removes the factor, whether on, off or pending, as if it had never been set up.
    static void add_erase(storage::Transaction& transaction, UserId user);
    // The first statement is an Expect::one: two-factor is on.
    static void add_still_enabled(PrivilegedTransaction& transaction, UserId user, TimePoint now);
    // Expect::one: two-factor is off.
    static void add_still_off(PrivilegedTransaction& transaction, UserId user);
    // Expect::one: no second factor is active, so there is none that the owner could prove.
    static void add_nothing_to_prove(storage::Transaction& transaction, UserId user);
    static void add_backup_codes(storage::Transaction& transaction, UserId user,
                                 const std::vector<crypto::Sha256>& digests);

private:
    storage::Database& database_;
};

}  // namespace consentry
