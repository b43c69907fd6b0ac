// What the service does by itself now and then: deletes what nobody can need any more, and tells what it counted.
//
// The tasks know nothing of each other: whatever one throws is its trouble alone. It is tried again soon, and the
// others go on.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <spdlog/logger.h>

#include "base/clock.hpp"

namespace consentry {

using boost::asio::awaitable;

struct CleanUpTask {
    std::string_view name;  // "expired sessions", for the log
    milliseconds every;
    std::function<awaitable<void>()> work;
};

// A task that was not done, and why.
struct CleanUpTrouble {
    std::string task;
    std::string reason;
};

// Does all of them now, each whatever became of the one before.
awaitable<std::vector<CleanUpTrouble>> do_all(std::vector<CleanUpTask> tasks);

class CleanUp {
public:
    using SteadyTime = std::chrono::steady_clock::time_point;
    static constexpr milliseconds retry_after = std::chrono::minutes{1};

    // Every task is due at `first`. `log` outlives it.
    CleanUp(std::vector<CleanUpTask> tasks, spdlog::logger& log, SteadyTime first);

    // Does what is due. Trouble is logged when it begins and when it is over.
    awaitable<void> do_due(SteadyTime now);
    SteadyTime next() const;

    // For ever, on the executor that runs it.
    awaitable<void> run();

private:
    struct Planned {
        CleanUpTask task;
        SteadyTime due;
        bool in_trouble = false;
    };
    std::vector<Planned> plan_;
    spdlog::logger& log_;
};

}  // namespace consentry
