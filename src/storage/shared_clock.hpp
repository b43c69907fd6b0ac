// The clock of one of several processes on the same database. Locks begin and end by the database server's time, so all
// processes agree on them even if their own clocks differ (RAC-6).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "storage/database.hpp"

namespace consentry::storage {

// Reads the server's time once at the start, then derives it from the time elapsed locally: callers never wait for the
// server, and setting the server's clock neither ends nor prolongs a lock. If the database has no server, lock_time()
// is the process's own.
class SharedClock final : public Clock {
public:
    // Blocks while it asks the server. `own` and `database` must outlive this object.
    SharedClock(const Clock& own, Database& database);

    TimePoint now() const override { return own_.now(); }
    TimePoint lock_time() const override {
        return own_.lock_time() - milliseconds{ahead_ms_.load(std::memory_order_relaxed)};
    }

    // Asks the server again and corrects the drift, by at most a thousandth of the time since the last call. That
    // suffices for clocks which run at slightly different rates, while a step of the server's clock or a slow answer
    // barely moves the end of a lock.
    awaitable<void> follow();

private:
    milliseconds ahead_of_server(TimePoint asked_at, TimePoint server) const;

    const Clock& own_;
    Database& database_;
    std::atomic<std::int64_t> ahead_ms_{0};  // how far own_ is ahead of the server
    std::atomic<TimePoint> followed_at_;
};

}  // namespace consentry::storage
