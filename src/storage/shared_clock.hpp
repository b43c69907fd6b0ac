// The clock of a process beside others on one database: locks begin and end by the time of the database's server, so
// that all processes agree about them however their own clocks differ (RAC-6).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "storage/database.hpp"

namespace consentry::storage {

// The server is asked at the start. From then on its time is told from the time that passes here: nobody waits for an
// answer, and setting the server's clock neither ends nor prolongs a lock. Where the database has no server,
// lock_time() is that of the process's own clock.
class SharedClock final : public Clock {
public:
    // Blocks for asking. Both outlive it.
    SharedClock(const Clock& own, Database& database);

    TimePoint now() const override { return own_.now(); }
    TimePoint lock_time() const override {
        return own_.lock_time() - milliseconds{ahead_ms_.load(std::memory_order_relaxed)};
    }

    // Asks again. What is off by then is made up for by a thousandth of the time that passed and no more: enough for
    // two clocks that do not run alike, while a step of the server's clock, or a slow answer, moves the end of a lock
    // by next to nothing.
    awaitable<void> follow();

private:
    milliseconds ahead_of_server(TimePoint asked_at, TimePoint server) const;

    const Clock& own_;
    Database& database_;
    std::atomic<std::int64_t> ahead_ms_{0};  // own_ before the server
    std::atomic<TimePoint> followed_at_;
};

}  // namespace consentry::storage
