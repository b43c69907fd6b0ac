// One attempt to reach a server that takes writes: the server itself, or the master that sentinels name.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "storage/redis/redis_link.hpp"

namespace consentry::storage::redis {

class Attempt {
public:
    // Without a server, the sentinels of the settings are asked in turn, beginning with this one.
    Attempt(const asio::any_io_executor& executor, std::shared_ptr<const Settings> settings,
            std::optional<RedisAddress> server, std::size_t first_sentinel = 0);

    // Throws Unavailable or Misconfigured. Keeps the attempt alive.
    static awaitable<std::shared_ptr<Link>> run(std::shared_ptr<Attempt> self);
    // run() soon ends with an exception. Not at once: a look-up of a name cannot be interrupted.
    void cancel();

    // Whom to ask first at the next attempt: the one that answered, or the next after one that does not.
    std::size_t first_sentinel() const { return first_sentinel_; }

private:
    awaitable<RedisAddress> ask_sentinels();
    awaitable<RedisAddress> ask_sentinel(std::size_t index);
    std::shared_ptr<Link> make_link(const RedisAddress& address);

    const asio::any_io_executor executor_;
    const std::shared_ptr<const Settings> settings_;
    const std::optional<RedisAddress> server_;
    std::size_t first_sentinel_;
    std::shared_ptr<Link> link_;  // the one under way
    bool cancelled_ = false;
};

}  // namespace consentry::storage::redis
