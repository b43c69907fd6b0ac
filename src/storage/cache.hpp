// The cache port: copies that may vanish at any time, and short-lived values that are handed out once.
//
// Nothing may be let in because a cache entry is missing. And nothing may rest on "once" alone: where a server is
// replaced by its replica, what was taken a moment ago can be there again. Times to live are counted on the engine's
// clock. An outage is thrown as consentry::Unavailable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/sliding_windows.hpp"

namespace consentry::storage {

using boost::asio::awaitable;

class Cache {
public:
    virtual ~Cache() = default;

    virtual awaitable<std::optional<std::string>> get(std::string key) = 0;
    // Replaces what was there. A ttl of zero or less removes it.
    virtual awaitable<void> put(std::string key, std::string value, milliseconds ttl) = 0;
    // Only where nothing lives under the key; false where something does. Of many callers at most one gets true.
    virtual awaitable<bool> put_if_absent(std::string key, std::string value, milliseconds ttl) = 0;
    // Reads and removes in one step: of many callers at most one receives the value.
    virtual awaitable<std::optional<std::string>> take(std::string key) = 0;
    virtual awaitable<void> erase(std::string key) = 0;

    // Counts one more event under the key where fewer than `limit` of them lie within the last `window`; of callers at
    // the same moment no more than that are admitted. Limits above SlidingWindows::exact_limit_max are held per
    // window that begins with the key's first event. One key is always asked for with the same window and limit.
    virtual awaitable<Admission> admit(std::string key, std::int64_t limit, milliseconds window) = 0;

    virtual awaitable<void> ping() = 0;  // for readiness

    // How `id` stands in the keys of what belongs to it: where keys are spread over several servers, those with the
    // same group lie together.
    virtual std::string group(std::string_view id) const { return std::string(id); }
};

}  // namespace consentry::storage
