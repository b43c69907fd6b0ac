// Reads that may look at a whole table: one after the other on a thread of their own, so that no other call waits for
// one. The thread begins with the first of them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include "base/worker_pool.hpp"
#include "storage/database.hpp"

namespace consentry::storage {

class Searches {
public:
    // How long a search may take from being asked for, its wait for others included.
    static constexpr std::chrono::seconds time_max{10};

    // Whoever carries out a search asks now and then whether it is still wanted. Thread-safe.
    class Patience {
    public:
        bool is_over() const {
            return ended_.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() >= deadline_;
        }

    private:
        friend class Searches;
        explicit Patience(const std::atomic<bool>& ended) : ended_(ended) {}
        const std::atomic<bool>& ended_;
        const std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + time_max;
    };
    // Called on that thread alone; gives up by throwing Unavailable.
    using Search = std::move_only_function<Rows(const Patience&)>;

    Searches() = default;
    // Ends those under way. What they refer to outlives it.
    ~Searches();
    Searches(const Searches&) = delete;
    Searches& operator=(const Searches&) = delete;

    // Throws Unavailable where too many wait already.
    awaitable<Rows> run(Search search);

private:
    std::atomic<bool> ended_{false};
    std::once_flag begun_;
    std::optional<WorkerPool> thread_;
};

}  // namespace consentry::storage
