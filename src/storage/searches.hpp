// Runs reads that may scan a whole table, one after another on a dedicated thread, so that they never delay other
// calls. The first search starts the thread.
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
    // The time limit of a search from its submission, which includes the wait for others.
    static constexpr std::chrono::seconds time_max{10};

    // The deadline of a search. The engine polls it while the search runs. Thread-safe.
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
    // Runs only on the search thread; throws Unavailable when it gives up.
    using Search = std::move_only_function<Rows(const Patience&)>;

    Searches() = default;
    // Cancels the searches under way. Objects that they refer to must outlive this one.
    ~Searches();
    Searches(const Searches&) = delete;
    Searches& operator=(const Searches&) = delete;

    // Throws Unavailable if too many searches are already queued.
    awaitable<Rows> run(Search search);

private:
    std::atomic<bool> ended_{false};
    std::once_flag begun_;
    std::optional<WorkerPool> thread_;
};

}  // namespace consentry::storage
