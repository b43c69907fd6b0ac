// Delays the answer to a failed password check, so that its time does not reveal which hash was verified.
//
// An imported hash may take ten times as long as one of ours, and would so distinguish existing accounts from unknown
// addresses (PWD-1). While hashes of several kinds are in use, every failure is therefore answered at the same time
// after its hash began: 1.5 times what the slowest kind takes on this machine. Waiting uses a timer and no thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "crypto/password_hash.hpp"
#include "features/passwords/account_turns.hpp"
#include "features/passwords/hasher.hpp"
#include "features/passwords/kind_repository.hpp"
#include "storage/database.hpp"

namespace consentry {

class FailureFloor {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::steady_clock::duration;

    FailureFloor(storage::Database& database, const Clock& clock, PasswordHasher& hasher)
        : database_(database),
          repository_(database),
          clock_(clock),
          hasher_(hasher),
          own_kind_(crypto::password_kind(hasher.dummy())) {}

    // Returns once a failure whose hash began at `began` may be answered.
    storage::awaitable<void> wait(Time began);
    // Returns whether the stored hash is of an unknown or unrecorded kind. If so, call notice(), which records the
    // kind.
    bool is_new(std::string_view stored);
    // If the kind cannot be recorded now, failures of this instance wait for it nevertheless.
    storage::awaitable<void> notice(std::string stored);
    // Call after kinds were added: the next failure reloads them.
    void look_again() { ++version_; }
    // Deletes the kinds that no account uses any more.
    storage::awaitable<void> forget_unused();

    // How many failures were delayed, and until how long after the beginning of their hash.
    std::uint64_t held_back() const { return held_back_.load(); }
    Duration floor() const { return Duration{floor_.load()}; }

    // Call less than a day before hashes of these kinds (crypto::password_kind) are stored. A transaction of its own,
    // because checks of such hashes write the same rows, and the one that stores the hashes may take long.
    static storage::awaitable<void> record(storage::Database& database, std::set<std::string> kinds, TimePoint now);

private:
    struct Cost {
        Duration took{0};  // zero: never measured
        Time measured_at;
        bool is_told = false;  // that the measurement fails
    };
    bool is_up_to_date() const;
    storage::awaitable<void> record_met(std::string kind);
    storage::awaitable<void> look();
    // Returns the former cost if the kind cannot be computed now.
    storage::awaitable<Cost> measured(std::string kind, Cost former, Time now);

    storage::Database& database_;
    PasswordKindRepository repository_;
    const Clock& clock_;
    PasswordHasher& hasher_;
    const std::string own_kind_;
    AccountTurns looking_{1, 4'096};         // one at a time
    std::atomic<std::uint64_t> version_{1};  // of the kinds; raised whenever this instance adds one
    std::atomic<std::uint64_t> looked_for_{0};
    std::atomic<std::int64_t> looked_at_{0};  // in ticks of the steady clock
    std::atomic<std::int64_t> floor_{0};      // in ticks of the steady clock; zero: all hashes are of one kind
    std::atomic<std::uint64_t> held_back_{0};
    std::mutex mutex_;
    std::map<std::string, Cost> costs_;  // by kind
    std::set<std::string> unrecorded_;   // kinds that this instance has met
};

}  // namespace consentry
