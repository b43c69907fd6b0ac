// A coroutine, run on this thread to its end.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace consentry::bench {

template <class T>
T finished(boost::asio::awaitable<T> work) {
    boost::asio::io_context context;
    std::optional<T> out;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, std::move(work), [&](std::exception_ptr error, T value) {
        failure = error;
        if (!error) out.emplace(std::move(value));
    });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return std::move(*out);
}
inline void finished(boost::asio::awaitable<void> work) {
    boost::asio::io_context context;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, std::move(work), [&](const std::exception_ptr& error) { failure = error; });
    context.run();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace consentry::bench
