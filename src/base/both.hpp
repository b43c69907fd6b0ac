// Awaits two operations concurrently.
#pragma once

#include <exception>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace consentry {

// Returns when both operations have finished. If either failed, rethrows the exception of the one that failed first; a
// failure does not cancel the other operation. (Asio's own && reports two failures as multiple_exceptions, which no
// handler recognizes as an outage.)
template <class A, class B>
boost::asio::awaitable<std::pair<A, B>> both(boost::asio::awaitable<A> one, boost::asio::awaitable<B> other) {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    auto [order, one_failed, a, other_failed, b] =
        co_await asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(one), asio::deferred),
                                                         asio::co_spawn(executor, std::move(other), asio::deferred))
            .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    const bool one_first = order[0] == 0;
    for (const std::exception_ptr& failed :
         {one_first ? one_failed : other_failed, one_first ? other_failed : one_failed})
        if (failed) std::rethrow_exception(failed);
    co_return std::pair<A, B>(std::move(a), std::move(b));
}

}  // namespace consentry
