// How many password checks of one account are worked on at once.
//
// A check reserves its attempt before it hashes (PWD-6), so that guesses in parallel gain nothing. Without a turn, a
// handful of right logins of one busy account would look like failures to each other while they hash. Who waits longer
// than a second is refused when its turn comes, unhashed (PWD-8).
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
    // Held while one check is worked on.
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

    // `at_once`: turns of one account at the same time; `waiting_max`: of all accounts together.
    AccountTurns(std::size_t at_once, std::size_t waiting_max) : at_once_(at_once), waiting_max_(waiting_max) {}

    // Throws Unavailable where too many wait, or this one waited too long.
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
    // A waiter whose request was given up: out of the queue, or, where its turn had come already, on to the next.
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
