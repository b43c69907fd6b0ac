// Limits how many password checks of one account run at the same time.
//
// A check reserves its attempt before it hashes (PWD-6), so that parallel guesses gain nothing. Without turns, a few
// correct logins of one busy account would count as failures against each other while they hash. A check that has
// waited longer than a second is refused when its turn comes, without hashing (PWD-8).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/handoff.hpp"

namespace consentry {

class AccountTurns {
public:
    // Held while one check runs; returns the turn when destroyed.
    class Turn {
    public:
        Turn(AccountTurns& turns, std::string account) : turns_(&turns), account_(std::move(account)) {}
        Turn(Turn&& other) noexcept
            : turns_(std::exchange(other.turns_, nullptr)), account_(std::move(other.account_)) {}
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (turns_ != nullptr) turns_->end(account_);
        }

    private:
        AccountTurns* turns_;
        std::string account_;
    };

    // `at_once` limits concurrent turns per account; `waiting_max` limits waiters over all accounts.
    AccountTurns(std::size_t at_once, std::size_t waiting_max) : at_once_(at_once), waiting_max_(waiting_max) {}

    // Throws Unavailable if too many are waiting, or this caller waited too long.
    awaitable<Turn> take(std::string account);

private:
    struct Waiter {
        std::uint64_t number;
        Promise<bool> promise;
    };
    struct Queue {
        std::size_t working = 0;
        std::list<Waiter> waiting;
    };
    bool begin(const std::string& account);
    void wait(const std::string& account, std::uint64_t number, Promise<bool> promise);
    // Removes a waiter whose request was canceled. If it already has a turn, passes the turn on.
    void abandon(const std::string& account, std::uint64_t number);
    void end(const std::string& account);

    const std::size_t at_once_;
    const std::size_t waiting_max_;
    std::mutex mutex_;
    std::size_t waiting_ = 0;
    std::uint64_t next_number_ = 0;
    std::unordered_map<std::string, Queue> queues_;
};

}  // namespace consentry
