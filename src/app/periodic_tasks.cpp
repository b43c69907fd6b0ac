#include "app/periodic_tasks.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace consentry {
namespace {

// Returns why the task failed, or nullopt if it succeeded.
awaitable<std::optional<std::string>> trouble_of(const PeriodicTask& task) {
    try {
        co_await task.work();
    } catch (const std::exception& error) {
        co_return error.what();
    } catch (...) {
        co_return "unknown exception";
    }
    co_return std::nullopt;
}

}  // namespace

awaitable<std::vector<TaskTrouble>> do_all(std::vector<PeriodicTask> tasks) {
    std::vector<TaskTrouble> out;
    for (const PeriodicTask& task : tasks) {
        auto trouble = co_await trouble_of(task);
        if (trouble) out.push_back({std::string(task.name), std::move(*trouble)});
    }
    co_return out;
}

PeriodicTasks::PeriodicTasks(std::vector<PeriodicTask> tasks, spdlog::logger& log, SteadyTime first) : log_(log) {
    for (PeriodicTask& task : tasks) plan_.push_back({.task = std::move(task), .due = first});
}

awaitable<void> PeriodicTasks::do_due(SteadyTime now) {
    for (Planned& planned : plan_) {
        if (planned.due > now) continue;
        const PeriodicTask& task = planned.task;
        const auto trouble = co_await trouble_of(task);
        planned.due = now + (trouble ? std::min(task.every, retry_after) : task.every);
        const bool was_in_trouble = std::exchange(planned.in_trouble, trouble.has_value());
        if (trouble && !was_in_trouble)
            log_.warn("background task '{}' failed and will be retried: {}", task.name, *trouble);
        else if (!trouble && was_in_trouble)
            log_.info("background task '{}' works again", task.name);
    }
}

PeriodicTasks::SteadyTime PeriodicTasks::next() const {
    return std::ranges::min_element(plan_, {}, &Planned::due)->due;
}

awaitable<void> PeriodicTasks::run() {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    for (;;) {
        timer.expires_at(next());
        co_await timer.async_wait(boost::asio::use_awaitable);
        co_await do_due(std::chrono::steady_clock::now());
    }
}

}  // namespace consentry
