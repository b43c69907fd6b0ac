// When the failed check of a password is answered, so that the time does not tell whose hash it was.
//
// An imported hash may take ten times as long as one of ours, and so tell an address that somebody has from one that
// nobody has (PWD-1). While hashes of several kinds are known, every failure therefore waits for the same moment after
// its hash began: half as long again as the slowest kind takes on this machine. Waiting costs a timer and no work.
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
#include "storage/database.hpp"

namespace consentry {

class FailureFloor {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::steady_clock::duration;

    FailureFloor(storage::Database& database, const Clock& clock, PasswordHasher& hasher)
        : database_(database), clock_(clock), hasher_(hasher), own_kind_(crypto::password_kind(hasher.dummy())) {}

    // Returns at the moment at which a failure may be answered whose hash began at `began`.
    storage::awaitable<void> wait(Time began);
    // Whether an account's hash is of a kind that is not known yet; if so, notice() writes the kind down.
    bool is_new(std::string_view stored);
    storage::awaitable<void> notice(std::string stored);
    // Kinds were added: the next failure looks which there are.
    void look_again() { ++version_; }
    // Forgets the kinds that no account has any more.
    storage::awaitable<void> forget_unused();

    // How many failures were held back, and for how long they are.
    std::uint64_t held_back() const { return held_back_.load(); }
    Duration floor() const { return Duration{floor_.load()}; }

    // Into the transaction that stores hashes of these kinds (crypto::password_kind).
    static void add_kinds(storage::Transaction& transaction, const std::set<std::string>& kinds, TimePoint now);

private:
    struct Cost {
        Duration took{0};
        Time measured_at;
    };
    bool is_up_to_date() const;
    storage::awaitable<void> look();
    storage::awaitable<std::set<std::string>> kinds();

    storage::Database& database_;
    const Clock& clock_;
    PasswordHasher& hasher_;
    const std::string own_kind_;
    AccountTurns looking_{1, 4'096};         // one at a time
    std::atomic<std::uint64_t> version_{1};  // of the kinds; higher with each that is added here
    std::atomic<std::uint64_t> looked_for_{0};
    std::atomic<std::int64_t> looked_at_{0};  // in ticks of the steady clock
    std::atomic<std::int64_t> floor_{0};      // likewise; zero: all hashes are of one kind
    std::atomic<std::uint64_t> held_back_{0};
    std::mutex mutex_;
    std::map<std::string, Cost> costs_;  // by kind
};

}  // namespace consentry
