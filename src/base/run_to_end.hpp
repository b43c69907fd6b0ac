// Runs a coroutine where there is no loop to wait in: at the start, at the end, and in commands.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace consentry {

// Blocks this thread. Throws what the coroutine threw. For several calls on one context: an engine's connections are
// bound to it.
void run_to_end(boost::asio::io_context& context, boost::asio::awaitable<void> work);

namespace detail {

template <class T>
boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, std::optional<T>& value) {
    value.emplace(co_await std::move(work));
}

}  // namespace detail

// The same, and returns the coroutine's value. Starting a coroutine costs a compiler a quarter of a second for each
// type of its value, so only coroutines without one are started.
template <class T>
T run_to_end(boost::asio::io_context& context, boost::asio::awaitable<T> work) {
    std::optional<T> value;
    run_to_end(context, detail::keep(std::move(work), value));
    return std::move(*value);
}

template <class T>
T run_to_end(boost::asio::awaitable<T> work) {
    boost::asio::io_context context(1);
    return run_to_end(context, std::move(work));
}

}  // namespace consentry
