// Periodic background tasks: delete expired data, report counters, publish the logs.
//
// The tasks are independent: an exception affects only the task that threw it. That task is retried soon, and the
// others continue.
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

struct PeriodicTask {
    std::string_view name;  // "expired sessions", for the log
    milliseconds every;
    std::function<awaitable<void>()> work;
};

// A task that failed, and why.
struct TaskTrouble {
    std::string task;
    std::string reason;
};

// Runs all tasks now; a failure does not stop the remaining tasks.
awaitable<std::vector<TaskTrouble>> do_all(std::vector<PeriodicTask> tasks);

class PeriodicTasks {
public:
    using SteadyTime = std::chrono::steady_clock::time_point;
    static constexpr milliseconds retry_after = std::chrono::minutes{1};

    // Every task is first due at `first`. `log` must outlive this object.
    PeriodicTasks(std::vector<PeriodicTask> tasks, spdlog::logger& log, SteadyTime first);

    // Runs the tasks that are due. Logs trouble when it begins and when it ends.
    awaitable<void> do_due(SteadyTime now);
    SteadyTime next() const;

    // Runs forever on the current executor.
    awaitable<void> run();

private:
    struct Planned {
        PeriodicTask task;
        SteadyTime due;
        bool in_trouble = false;
    };
    std::vector<Planned> plan_;
    spdlog::logger& log_;
};

}  // namespace consentry
