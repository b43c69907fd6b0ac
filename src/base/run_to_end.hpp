// Runs a coroutine where there is no loop to wait in: at the start, at the end, and in commands.
#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace consentry {

// Blocks this thread. Returns the coroutine's value, or throws what it threw. For several calls on one context: an
// engine's connections are bound to it.
template <class T>
T run_to_end(boost::asio::io_context& context, boost::asio::awaitable<T> work) {
    context.restart();
    auto result = boost::asio::co_spawn(context, std::move(work), boost::asio::use_future);
    context.run();
    return result.get();
}

template <class T>
T run_to_end(boost::asio::awaitable<T> work) {
    boost::asio::io_context context(1);
    return run_to_end(context, std::move(work));
}

}  // namespace consentry
