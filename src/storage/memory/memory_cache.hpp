// The in-process engine of the cache port: serves one process, and its contents end with that process.
//
// Bounded: beyond `bytes_max` it evicts the least recently used entries, as any cache may. Thread-safe; every call
// completes at once on the calling thread.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "storage/cache.hpp"

namespace consentry::storage {

class MemoryCache final : public Cache {
public:
    // The clock must outlive the cache. `bytes_max` covers keys, values and the bookkeeping of entries.
    explicit MemoryCache(const Clock& clock, std::size_t bytes_max = std::size_t{64} << 20);

    awaitable<std::optional<std::string>> get(std::string key) override;
    std::unique_ptr<Reading> begin_get(const boost::asio::any_io_executor& executor, std::string key) override;
    awaitable<void> put(std::string key, std::string value, milliseconds ttl) override;
    awaitable<bool> put_if_absent(std::string key, std::string value, milliseconds ttl) override;
    awaitable<std::optional<std::string>> take(std::string key) override;
    awaitable<void> erase(std::string key) override;
    // Events use separate memory, so a flood of them does not evict entries.
    awaitable<Admission> admit(std::string key, std::int64_t limit, milliseconds window) override;
    awaitable<void> ping() override;

    // The bytes in use, including expired entries that are not removed yet.
    std::size_t bytes() const;

private:
    struct Entry {
        std::string key;
        std::string value;
        TimePoint expires_at;
        std::size_t size = 0;  // its share of the bytes
    };
    using Entries = std::list<Entry>;
    // Sharded to reduce lock contention; each shard has an equal share of the bytes.
    struct Shard {
        mutable std::mutex mutex;
        Entries by_use;                                                  // front: most recently used
        std::unordered_map<std::string_view, Entries::iterator> by_key;  // the keys point into the entries
        std::size_t bytes = 0;

        Entries::iterator find_live(std::string_view key, TimePoint now);  // by_use.end() if there is none
        bool insert(Entry entry, TimePoint now, std::size_t bytes_max);    // the key must be free
        void remove(Entries::iterator entry);
    };

    static constexpr std::size_t shards = 16;
    Shard& shard_of(std::string_view key);
    std::optional<std::string> find(std::string_view key);
    TimePoint expiry(TimePoint now, milliseconds ttl) const;

    const Clock& clock_;
    const std::size_t shard_bytes_max_;
    std::array<Shard, shards> shards_;
    // A SlidingWindows keeps all its keys for its longest window. Few clients need long ones; each request needs a
    // short one, and kept for minutes, those keys would fill the memory (LIM-4).
    SlidingWindows events_;
    SlidingWindows events_of_long_windows_;
};

}  // namespace consentry::storage
