// What is worth trying and fails nobody: a copy in the cache, a note about something that is settled already. Where the
// part that it needs is away, things go on without it; whoever counts outages has seen this one too.
//
//     const auto copy = co_await best_effort([&] { return cache_.get(key); });
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

// nullopt where it was to no avail.
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
