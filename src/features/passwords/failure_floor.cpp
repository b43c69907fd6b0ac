#include "features/passwords/failure_floor.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/best_effort.hpp"
#include "base/standard_error.hpp"
#include "crypto/password_hash.hpp"

namespace consentry {
namespace {

using namespace std::chrono_literals;

// How long kinds imported by other instances may stay unnoticed here.
constexpr auto look_every = 10s;
// Measurements are repeated, because the machine's load changes.
constexpr auto measure_every = 1h;
// Upper limit of the delay. Slower hashes may be distinguishable by time.
constexpr FailureFloor::Duration floor_max = 2s;
// Measuring a kind costs one hash, and an import file may contain a thousand kinds.
constexpr std::int64_t kinds_max = 16;
// Unused kinds are kept for a day, because an import that added them may still be running.
constexpr std::chrono::days unused_after{1};

}  // namespace

storage::awaitable<void> FailureFloor::wait(Time began) {
    if (!is_up_to_date()) co_await look();
    const Duration floor{floor_.load()};
    if (floor == Duration::zero()) co_return;
    ++held_back_;
    asio::steady_timer timer(co_await asio::this_coro::executor, began + floor);
    co_await timer.async_wait(asio::use_awaitable);
}

bool FailureFloor::is_up_to_date() const {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return looked_for_.load() == version_.load() && now - looked_at_.load() < Duration(look_every).count();
}

bool FailureFloor::is_new(std::string_view stored) {
    if (stored.starts_with(own_kind_)) return false;
    const std::string kind = crypto::password_kind(stored);
    const std::lock_guard lock(mutex_);
    if (unrecorded_.contains(kind)) return true;
    return !kind.empty() && !costs_.contains(kind) && std::ssize(costs_) < kinds_max;
}

storage::awaitable<void> FailureFloor::notice(std::string stored) {
    const std::string kind = crypto::password_kind(stored);
    {
        const std::lock_guard lock(mutex_);
        if (std::ssize(unrecorded_) < kinds_max) unrecorded_.insert(kind);
    }
    look_again();
    // Right passwords do not need the kind, so they must not fail without it.
    co_await best_effort([&] { return record_met(kind); });
}

storage::awaitable<void> FailureFloor::record_met(std::string kind) {
    co_await record(database_, {kind}, clock_.now());
    const std::lock_guard lock(mutex_);
    unrecorded_.erase(kind);
}

storage::awaitable<void> FailureFloor::look() {
    const auto turn = co_await looking_.take({});
    if (is_up_to_date()) co_return;  // another coroutine has looked meanwhile
    const std::uint64_t version = version_.load();
    const auto began = std::chrono::steady_clock::now();
    std::set<std::string> unrecorded;
    {
        const std::lock_guard lock(mutex_);
        unrecorded = unrecorded_;  // before the list, which has those that are recorded meanwhile
    }
    auto present = co_await repository_.list_others(own_kind_, kinds_max);
    present.merge(unrecorded);
    std::map<std::string, Cost> costs;
    {
        const std::lock_guard lock(mutex_);
        costs = costs_;
    }
    std::erase_if(costs, [&](const auto& known) { return !present.contains(known.first); });
    Duration slowest{0};
    for (const std::string& kind : present) {
        Cost& cost = costs[kind];
        if (cost.took == Duration::zero() || began - cost.measured_at > measure_every)
            cost = co_await measured(kind, cost, began);
        slowest = std::max(slowest, cost.took);
    }
    if (!present.empty()) {
        const auto own = co_await hasher_.measure(own_kind_);  // may be the slowest
        slowest = std::max(slowest, own.value_or(Duration::zero()));
    }
    floor_ = std::min<Duration>(slowest + slowest / 2, floor_max).count();
    {
        const std::lock_guard lock(mutex_);
        costs_ = std::move(costs);
    }
    looked_at_ = began.time_since_epoch().count();
    looked_for_ = version;
}

storage::awaitable<FailureFloor::Cost> FailureFloor::measured(std::string kind, Cost former, Time now) {
    const auto took = co_await hasher_.measure(kind);
    if (took) co_return Cost{.took = *took, .measured_at = now};
    // The next look tries again. Until then, the kind counts with its former time, or not at all: its accounts cannot
    // log in now, and all others must not suffer from that.
    if (!std::exchange(former.is_told, true))
        say("cannot compute password hashes of the kind {}: {}; accounts with such hashes cannot log in\n", kind,
            took.error());
    co_return former;
}

storage::awaitable<void> FailureFloor::record(storage::Database& database, std::set<std::string> kinds, TimePoint now) {
    if (kinds.empty()) co_return;
    storage::Transaction transaction;
    for (const std::string& kind : kinds | std::views::take(kinds_max))
        PasswordKindRepository::add_seen(transaction, kind, now);
    co_await database.commit(std::move(transaction));
}

storage::awaitable<void> FailureFloor::forget_unused() {
    const TimePoint before = clock_.now() - unused_after;
    const auto kinds = co_await repository_.list_seen_before(before);
    for (const std::string& kind : kinds) {
        // May keep a kind for the accounts of another one that begins alike, but never drops one in use.
        const bool is_used = co_await repository_.is_used(crypto::password_kind_beginning(kind));
        if (is_used) continue;
        co_await repository_.erase(kind, before);
        look_again();
    }
}

}  // namespace consentry
