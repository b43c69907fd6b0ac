// Starts a coroutine that no caller waits for:
//
//     asio::co_spawn(executor, connect(), unwatched("a connection to PostgreSQL"));
//
// boost::asio::detached would hide an exception that ends it. Such a coroutine catches what it expects; whatever else
// ends it is said on standard error, because the log may be what failed.
#pragma once

#include <exception>

#include "base/standard_error.hpp"

namespace consentry {

inline auto unwatched(const char* what) {
    return [what](const std::exception_ptr& failure) noexcept {
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            say("{} has ended: {}\n", what, error.what());
        } catch (...) {
            say("{} has ended\n", what);
        }
    };
}

}  // namespace consentry
