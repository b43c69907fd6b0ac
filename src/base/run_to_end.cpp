#include "base/run_to_end.hpp"

#include <exception>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>

namespace consentry {

void run_to_end(boost::asio::io_context& context, boost::asio::awaitable<void> work) {
    bool has_ended = false;
    std::exception_ptr failure;
    context.restart();
    boost::asio::co_spawn(context, std::move(work), [&](std::exception_ptr thrown) {
        has_ended = true;
        failure = std::move(thrown);
    });
    context.run();
    if (failure) std::rethrow_exception(failure);
    if (!has_ended) throw std::logic_error("a coroutine waits for what nothing on its loop will do");
}

}  // namespace consentry
