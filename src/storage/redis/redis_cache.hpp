// The cache port on Redis 6.2 or newer, or Valkey: a single server, a master named by sentinels, or a cluster.
//
// One connection per I/O thread and server, opened at first use and kept for the lifetime of the io_context; no
// operation is pending while no command is under way. Thread-safe. The servers' clocks measure times to live.
//
// A server that does not answer within RedisOptions::timeout causes Unavailable; the commands after it fail at once
// until the server is back, see redis_node.hpp. A command whose answer was lost is repeated once if a repetition cannot
// change the outcome. take() and put_if_absent() are never repeated: the first execution may have removed the value or
// set the key without any caller learning of it. Replication is asynchronous, so a value that was just taken may be
// present again after a fail-over; no client can prevent that.
//
// A restricted user needs GET, SET, GETDEL, DEL, EVAL with TIME, LRANGE, LPUSH, LTRIM, INCR, PTTL and PEXPIRE on keys
// <name_space>:*, and PING; SELECT for a database other than 0; ROLE with sentinels, and SENTINEL
// GET-MASTER-ADDR-BY-NAME on the sentinels; CLUSTER SLOTS and ASKING in a cluster.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/per_context.hpp"
#include "storage/cache.hpp"
#include "storage/redis/redis_url.hpp"

namespace consentry::storage {

namespace redis {
class Client;
class Settings;
}  // namespace redis

class RedisCache final : public Cache {
public:
    // Throws std::runtime_error if a certificate or key cannot be read. Does not connect yet.
    explicit RedisCache(RedisOptions options);
    ~RedisCache() override;

    // Blocks; call it at the start of the program. Throws std::runtime_error if the operator must fix something
    // (password, permissions, certificate, version, kind of server), consentry::Unavailable if a server does not
    // answer.
    void check();
    // The same without writing a key: tests the user's write permissions on keys that do not exist.
    void look();

    awaitable<std::optional<std::string>> get(std::string key) override;
    std::unique_ptr<Reading> begin_get(const boost::asio::any_io_executor& executor, std::string key) override;
    awaitable<void> put(std::string key, std::string value, milliseconds ttl) override;
    awaitable<bool> put_if_absent(std::string key, std::string value, milliseconds ttl) override;
    awaitable<std::optional<std::string>> take(std::string key) override;
    awaitable<void> erase(std::string key) override;
    awaitable<Admission> admit(std::string key, std::int64_t limit, milliseconds window) override;
    awaitable<void> ping() override;

    std::string group(std::string_view id) const override;  // a hash tag in a cluster

private:
    std::string full(const std::string& key) const;
    void inspect_servers() const;

    const std::shared_ptr<const redis::Settings> settings_;
    PerContext<redis::Client> clients_;
};

}  // namespace consentry::storage
