// The cache port on Redis 6.2 or newer, or Valkey: one server, a master named by sentinels, or a cluster.
//
// One connection per I/O thread and server, made at the first use and kept while the io_context lives; nothing is
// pending while no command is under way. Thread-safe. Times to live go by the servers' clock.
//
// What does not answer within RedisOptions::timeout is Unavailable, and so are the commands after it, at once, until
// the server is back; see redis_node.hpp. A command whose answer was lost is repeated once where that cannot change
// what happens. take() and put_if_absent() are never repeated: the value may then be gone, or the key be taken, with
// nobody told of it. Replicas follow their master late: after a fail-over a value that was just taken may be there
// again, as it is with any client.
//
// A user with few rights needs GET, SET, GETDEL, DEL, EVAL with TIME, LRANGE, LPUSH, LTRIM, INCR, PTTL and PEXPIRE on
// keys <name_space>:*, and PING; SELECT for a database other
// than 0; ROLE with sentinels, and there SENTINEL GET-MASTER-ADDR-BY-NAME; CLUSTER SLOTS and ASKING in a cluster.
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
    // Throws std::runtime_error where a certificate or key cannot be read. Connects to nothing yet.
    explicit RedisCache(RedisOptions options);
    ~RedisCache() override;

    // Blocks: for the start of the program. Throws std::runtime_error where a person must mend something (password,
    // rights, certificate, version, the kind of server), consentry::Unavailable where a server does not answer.
    void check();
    // The same without writing a key: what the user may write is tried on keys that do not exist.
    void look();

    awaitable<std::optional<std::string>> get(std::string key) override;
    awaitable<void> put(std::string key, std::string value, milliseconds ttl) override;
    awaitable<bool> put_if_absent(std::string key, std::string value, milliseconds ttl) override;
    awaitable<std::optional<std::string>> take(std::string key) override;
    awaitable<void> erase(std::string key) override;
    awaitable<Admission> admit(std::string key, std::int64_t limit, milliseconds window) override;
    awaitable<void> ping() override;

    std::string group(std::string_view id) const override;  // in a cluster a hash tag

private:
    std::string full(const std::string& key) const;
    void inspect_servers() const;

    const std::shared_ptr<const redis::Settings> settings_;
    PerContext<redis::Client> clients_;
};

}  // namespace consentry::storage
