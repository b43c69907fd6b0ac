// The cache port: copies that may vanish at any time, and short-lived values that are handed out once.
//
// A missing entry must never grant access. Security must not depend on "once" alone either: after a fail-over to a
// replica, a value that was just taken can be present again. The engine's clock measures times to live. An outage
// throws consentry::Unavailable.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/sliding_windows.hpp"

namespace consentry::storage {

using boost::asio::awaitable;

class Cache {
public:
    virtual ~Cache() = default;

    virtual awaitable<std::optional<std::string>> get(std::string key) = 0;
    // A get() under way. Destroying it abandons the read. It must not outlive the cache.
    class Reading {
    public:
        virtual ~Reading() = default;
        virtual bool is_done() const = 0;
        virtual awaitable<void> wait() = 0;              // until it is done; only for one that is not
        virtual std::optional<std::string> value() = 0;  // once, when it is done
    };
    // Begins a get() and returns at once, so that the caller can ask the database meanwhile. `executor` is the
    // caller's; the reading belongs to its thread. An outage throws here or in wait().
    virtual std::unique_ptr<Reading> begin_get(const boost::asio::any_io_executor& executor, std::string key) = 0;
    // Replaces an existing entry. A ttl of zero or less removes it.
    virtual awaitable<void> put(std::string key, std::string value, milliseconds ttl) = 0;
    // Stores the value only if the key has no live entry, and returns whether it did. Of several concurrent callers at
    // most one gets true.
    virtual awaitable<bool> put_if_absent(std::string key, std::string value, milliseconds ttl) = 0;
    // Reads and removes the entry atomically: of several concurrent callers at most one receives the value.
    virtual awaitable<std::optional<std::string>> take(std::string key) = 0;
    virtual awaitable<void> erase(std::string key) = 0;

    // Counts one more event for the key if fewer than `limit` events lie within the last `window`; concurrent callers
    // cannot exceed the limit together. Limits above SlidingWindows::exact_limit_max apply to fixed windows, each of
    // which starts with the key's first event. Callers always pass the same window and limit for a key.
    virtual awaitable<Admission> admit(std::string key, std::int64_t limit, milliseconds window) = 0;

    virtual awaitable<void> ping() = 0;  // for readiness

    // The form of `id` to use in the keys of related entries. If the keys are spread over several servers, keys with
    // the same group share a server.
    virtual std::string group(std::string_view id) const { return std::string(id); }
};

}  // namespace consentry::storage
