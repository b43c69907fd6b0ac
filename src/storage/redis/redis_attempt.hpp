// One attempt to connect to a server that accepts writes: the given server, or the master that the sentinels name.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "storage/redis/redis_link.hpp"

namespace consentry::storage::redis {

class Attempt {
public:
    // Without a server, asks the sentinels of the settings in turn, starting with `first_sentinel`.
    Attempt(const asio::any_io_executor& executor, std::shared_ptr<const Settings> settings,
            std::optional<RedisAddress> server, std::size_t first_sentinel = 0);

    // Throws Unavailable or Misconfigured. Keeps the attempt alive until it ends.
    static awaitable<std::shared_ptr<Link>> run(std::shared_ptr<Attempt> self);
    // Makes run() throw soon. Not at once, because a name look-up cannot be interrupted.
    void cancel();

    // The sentinel to ask first in the next attempt: the one that answered, or the one after a silent one.
    std::size_t first_sentinel() const { return first_sentinel_; }

private:
    awaitable<RedisAddress> ask_sentinels();
    awaitable<RedisAddress> ask_sentinel(std::size_t index);
    std::shared_ptr<Link> make_link(const RedisAddress& address);

    const asio::any_io_executor executor_;
    const std::shared_ptr<const Settings> settings_;
    const std::optional<RedisAddress> server_;
    std::size_t first_sentinel_;
    std::shared_ptr<Link> link_;  // the current one
    bool canceled_ = false;
};

}  // namespace consentry::storage::redis
