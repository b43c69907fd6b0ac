// What commands that work on the service's data have in common.
#pragma once

#include <memory>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "app/services.hpp"

namespace consentry {

// Exit codes.
inline constexpr int wrong_use = 2;
inline constexpr int failed = 1;

// The same for all that a command does: an engine's connections belong to it.
asio::io_context& command_context();

// Runs one coroutine on this thread, to its end.
template <class T>
T run(awaitable<T> work) {
    asio::io_context& context = command_context();
    context.restart();
    auto result = asio::co_spawn(context, std::move(work), asio::use_future);
    context.run();
    return result.get();
}

// Whether there is data to work on; told where there is none. Only `serve`, `migrate` and `keys generate` may be the
// first: in the wrong folder, every other command would make a second, empty installation.
bool has_data(const Config& config);

// The services, or nothing where the settings are unfit, or there is no data: told already.
std::unique_ptr<Services> open_services(const Clock& clock);

// Says on standard error what was refused; returns `failed`.
int tell(const Services& services, const Error& error);

}  // namespace consentry
