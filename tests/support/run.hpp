// Runs coroutines from a test: either a single one, or many at once on several threads.
#pragma once

#include <cstddef>
#include <exception>
#include <expected>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace consentry::tests {

namespace asio = boost::asio;
using asio::awaitable;

// The outcome of a coroutine: its value, or the exception it threw.
template <class T>
using Ended = std::expected<T, std::exception_ptr>;

namespace detail {

template <class T>
void start(asio::io_context& context, awaitable<T> work, std::optional<Ended<T>>& into) {
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(context, std::move(work), [&into](std::exception_ptr error) {
            into = error ? Ended<T>(std::unexpect, error) : Ended<T>();
        });
    } else {
        asio::co_spawn(context, std::move(work), [&into](std::exception_ptr error, T value) {
            into = error ? Ended<T>(std::unexpect, error) : Ended<T>(std::move(value));
        });
    }
}

// An io_context that the calls to run() of one thread share.
struct ThreadContext {
    asio::io_context context{1};
    bool runs = false;
};
class Running {
public:
    explicit Running(ThreadContext& thread) : thread_(thread) { thread_.runs = true; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { thread_.runs = false; }

private:
    ThreadContext& thread_;
};
inline ThreadContext& thread_context() {
    static thread_local ThreadContext context;
    return context;
}

}  // namespace detail

// Runs one coroutine on `context` and returns its value, or rethrows its exception.
template <class T>
T run_on(asio::io_context& context, awaitable<T> work) {
    std::optional<Ended<T>> ended;
    context.restart();
    detail::start(context, std::move(work), ended);
    context.run();
    if (!ended.value()) std::rethrow_exception(ended->error());
    if constexpr (!std::is_void_v<T>) return std::move(**ended);
}

// Like run_on(), with an io_context that all calls of the thread share: engines keep connections for each one, and a
// connection to PostgreSQL costs more than most calls. A call made while another one runs gets an io_context of its
// own.
template <class T>
T run(awaitable<T> work) {
    detail::ThreadContext& shared = detail::thread_context();
    if (shared.runs) {
        asio::io_context own{1};
        return run_on(own, std::move(work));
    }
    const detail::Running running(shared);
    return run_on(shared.context, std::move(work));
}

// Runs all coroutines, distributed over `threads` threads with an io_context each. Returns the outcomes in the given
// order.
template <class T>
std::vector<Ended<T>> run_all(std::vector<awaitable<T>> works, std::size_t threads = 4) {
    std::vector<std::optional<Ended<T>>> ended(works.size());
    std::vector<std::jthread> running;
    for (std::size_t thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
            asio::io_context context{1};
            for (std::size_t i = thread; i < works.size(); i += threads)
                detail::start(context, std::move(works[i]), ended[i]);
            context.run();
        });
    }
    running.clear();  // joins
    std::vector<Ended<T>> out;
    for (auto& one : ended) out.push_back(std::move(one.value()));
    return out;
}

// Like run_all(), but rethrows the first exception.
template <class T>
std::vector<T> values_of(std::vector<awaitable<T>> works, std::size_t threads = 4) {
    std::vector<T> out;
    for (auto& ended : run_all(std::move(works), threads)) {
        if (!ended) std::rethrow_exception(ended.error());
        out.push_back(std::move(*ended));
    }
    return out;
}

// Runs the `count` coroutines make(0), make(1) ... and returns how many of their values are true.
template <class Make>
std::size_t successes_of(std::size_t count, Make make) {
    std::vector<decltype(make(std::size_t{0}))> works;
    for (std::size_t i = 0; i < count; ++i) works.push_back(make(i));
    std::size_t successes = 0;
    for (const auto& value : values_of(std::move(works))) successes += value ? 1 : 0;
    return successes;
}

}  // namespace consentry::tests
