// Runs work whose failure must not fail the caller, such as filling the cache or logging an outcome that is already
// settled. If the dependency is unavailable, the caller continues without it; the code that counts outages has already
// recorded this one.
//
//    const auto copy = co_await best_effort([&] { return cache_.get(key); });
#pragma once

#include <optional>
#include <type_traits>

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"

namespace consentry {

namespace detail {

template <class Awaitable>
struct BestEffort;
template <>
struct BestEffort<boost::asio::awaitable<void>> {
    using Result = void;
};
template <class T>
struct BestEffort<boost::asio::awaitable<T>> {
    using Result = std::optional<T>;
};
template <class T>
struct BestEffort<boost::asio::awaitable<std::optional<T>>> {
    using Result = std::optional<T>;
};

}  // namespace detail

// Returns nullopt if the work threw Unavailable; other exceptions propagate.
template <class Work, class Result = typename detail::BestEffort<std::invoke_result_t<Work&>>::Result>
boost::asio::awaitable<Result> best_effort(Work work) {
    try {
        if constexpr (std::is_void_v<Result>)
            co_await work();
        else
            co_return co_await work();
    } catch (const Unavailable&) {
    }
    if constexpr (!std::is_void_v<Result>) co_return std::nullopt;
}

}  // namespace consentry
