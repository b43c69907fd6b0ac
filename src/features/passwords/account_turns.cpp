#include "features/passwords/account_turns.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace consentry {
namespace {

constexpr std::chrono::seconds wait_max{1};

}  // namespace

bool AccountTurns::begin(const std::string& account) {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_[account];
    if (queue.working < at_once_) {
        ++queue.working;
        return true;
    }
    if (waiting_ >= waiting_max_) throw Unavailable("password checks: too many wait");
    return false;
}

void AccountTurns::wait(const std::string& account, std::uint64_t number, Promise<bool> promise) {
    const std::lock_guard lock(mutex_);
    // A turn may have become free since begin(). Take it now, because nothing would wake this waiter.
    Queue& queue = queues_[account];
    if (queue.working < at_once_) {
        ++queue.working;
        promise.set_value(true);
        return;
    }
    ++waiting_;
    queue.waiting.push_back({number, std::move(promise)});
}

awaitable<AccountTurns::Turn> AccountTurns::take(std::string account) {
    if (begin(account)) co_return Turn{*this, std::move(account)};
    const auto since = std::chrono::steady_clock::now();
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(mutex_);
        number = next_number_++;
    }
    try {
        co_await handoff<bool>([&](Promise<bool> promise) { wait(account, number, std::move(promise)); });
    } catch (...) {
        abandon(account, number);
        throw;
    }
    Turn turn{*this, std::move(account)};
    if (std::chrono::steady_clock::now() - since > wait_max) throw Unavailable("password checks: waited too long");
    co_return std::move(turn);
}

void AccountTurns::abandon(const std::string& account, std::uint64_t number) {
    {
        const std::lock_guard lock(mutex_);
        auto& waiting = queues_[account].waiting;
        const auto found = std::ranges::find(waiting, number, &Waiter::number);
        if (found != waiting.end()) {
            waiting.erase(found);
            --waiting_;
            return;
        }
    }
    end(account);
}

void AccountTurns::end(const std::string& account) {
    const std::lock_guard lock(mutex_);
    const auto found = queues_.find(account);
    if (!found->second.waiting.empty()) {
        Promise<bool> next = std::move(found->second.waiting.front().promise);
        found->second.waiting.pop_front();
        --waiting_;
        next.set_value(true);  // pass the turn on
        return;
    }
    if (--found->second.working == 0) queues_.erase(found);
}

}  // namespace consentry
