// Support for tests of the Redis engine: an io_context that lives as long as its connections, and waiting for
// conditions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "storage/redis/redis_cache.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {

using namespace std::chrono_literals;

// Connections, and knowledge of the servers, that no other test shares, unlike those of run().
class Loop {
public:
    template <class T>
    T call(awaitable<T> work) {
        return run_on(context_, std::move(work));
    }
    asio::io_context& context() { return context_; }

private:
    asio::io_context context_{1};
};

inline storage::RedisOptions redis_options(std::string_view url, std::string name_space = "test") {
    auto out = storage::parse_redis_url(url).value();
    out.name_space = std::move(name_space);
    return out;
}

// Returns whether the call succeeds; false means an outage. Other exceptions propagate.
template <class T>
bool works(Loop& loop, awaitable<T> work) {
    try {
        loop.call(std::move(work));
        return true;
    } catch (const Unavailable&) {
        return false;
    }
}

inline std::chrono::milliseconds since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
}

// Polls the condition. Returns false if it does not become true within this time.
template <class Condition>
bool comes_true(std::chrono::milliseconds within, Condition condition) {
    const auto start = std::chrono::steady_clock::now();
    while (since(start) < within) {
        if (condition()) return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

// Starts a few calls and destroys their io_context after its first handler, then after its second, and so on until the
// calls complete. The sanitizers report leaks and late accesses.
template <class Make>
void end_at_each_point(Make make) {
    constexpr int calls = 3;
    int ended = 0;
    for (int handlers = 0; ended < calls; ++handlers) {
        ASSERT_LT(handlers, 10'000);
        ended = 0;
        asio::io_context context{1};
        for (int i = 0; i < calls; ++i)
            asio::co_spawn(context, make(), [&ended](const std::exception_ptr&, const auto&) { ++ended; });
        for (int i = 0; i < handlers; ++i) context.run_one();
    }
}

}  // namespace consentry::tests
