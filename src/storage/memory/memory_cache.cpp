#include "storage/memory/memory_cache.hpp"

#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

namespace consentry::storage {
namespace {

// Two list pointers, the entry itself, a hash node with its bucket, and the allocator's share of each.
constexpr std::size_t entry_overhead = 192;
constexpr std::chrono::minutes short_window_max{1};

std::size_t size_of(const std::string& key, const std::string& value) {
    return key.size() + value.size() + entry_overhead;
}

class DoneReading final : public Cache::Reading {
public:
    explicit DoneReading(std::optional<std::string> value) : value_(std::move(value)) {}
    bool is_done() const override { return true; }
    awaitable<void> wait() override { co_return; }
    std::optional<std::string> value() override { return std::move(value_); }

private:
    std::optional<std::string> value_;
};

}  // namespace

MemoryCache::MemoryCache(const Clock& clock, std::size_t bytes_max)
    : clock_(clock), shard_bytes_max_(bytes_max / shards) {}

std::optional<std::string> MemoryCache::find(std::string_view key) {
    Shard& shard = shard_of(key);
    const TimePoint now = clock_.lock_time();
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.find_live(key, now);
    if (found == shard.by_use.end()) return std::nullopt;
    shard.by_use.splice(shard.by_use.begin(), shard.by_use, found);
    return found->value;
}

awaitable<std::optional<std::string>> MemoryCache::get(std::string key) { co_return find(key); }

std::unique_ptr<Cache::Reading> MemoryCache::begin_get(const boost::asio::any_io_executor&, std::string key) {
    return std::make_unique<DoneReading>(find(key));
}

awaitable<void> MemoryCache::put(std::string key, std::string value, milliseconds ttl) {
    Shard& shard = shard_of(key);
    const TimePoint now = clock_.lock_time();
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.find_live(key, now); found != shard.by_use.end()) shard.remove(found);
    if (ttl <= milliseconds{0}) co_return;
    shard.insert({.key = std::move(key), .value = std::move(value), .expires_at = expiry(now, ttl)}, now,
                 shard_bytes_max_);
}

awaitable<bool> MemoryCache::put_if_absent(std::string key, std::string value, milliseconds ttl) {
    Shard& shard = shard_of(key);
    const TimePoint now = clock_.lock_time();
    const std::lock_guard lock(shard.mutex);
    if (shard.find_live(key, now) != shard.by_use.end()) co_return false;
    if (ttl <= milliseconds{0}) co_return true;
    co_return shard.insert({.key = std::move(key), .value = std::move(value), .expires_at = expiry(now, ttl)}, now,
                           shard_bytes_max_);
}

awaitable<std::optional<std::string>> MemoryCache::take(std::string key) {
    Shard& shard = shard_of(key);
    const TimePoint now = clock_.lock_time();
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.find_live(key, now);
    if (found == shard.by_use.end()) co_return std::nullopt;
    std::string value = std::move(found->value);
    shard.remove(found);
    co_return value;
}

awaitable<void> MemoryCache::erase(std::string key) {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.by_key.find(key); found != shard.by_key.end()) shard.remove(found->second);
    co_return;
}

awaitable<Admission> MemoryCache::admit(std::string key, std::int64_t limit, milliseconds window) {
    SlidingWindows& events = window > short_window_max ? events_of_long_windows_ : events_;
    co_return events.admit(key, limit, window, clock_.lock_time());
}

awaitable<void> MemoryCache::ping() { co_return; }

std::size_t MemoryCache::bytes() const {
    std::size_t total = 0;
    for (const Shard& shard : shards_) {
        const std::lock_guard lock(shard.mutex);
        total += shard.bytes;
    }
    return total;
}

MemoryCache::Shard& MemoryCache::shard_of(std::string_view key) {
    // The upper bits, because the table inside the shard uses the lower ones.
    static_assert(sizeof(std::size_t) == 8);
    return shards_[std::hash<std::string_view>{}(key) >> 60];
}

TimePoint MemoryCache::expiry(TimePoint now, milliseconds ttl) const {
    return ttl < TimePoint::max() - now ? now + ttl : TimePoint::max();
}

MemoryCache::Entries::iterator MemoryCache::Shard::find_live(std::string_view key, TimePoint now) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) return by_use.end();
    if (now < found->second->expires_at) return found->second;
    remove(found->second);
    return by_use.end();
}

bool MemoryCache::Shard::insert(Entry entry, TimePoint now, std::size_t bytes_max) {
    const std::size_t size = size_of(entry.key, entry.value);
    if (size > bytes_max) return false;
    // Expired entries that are never requested again collect at the end of the list, so each insertion removes a few of
    // them.
    for (int swept = 0; swept < 2 && !by_use.empty() && by_use.back().expires_at <= now; ++swept)
        remove(std::prev(by_use.end()));
    while (bytes + size > bytes_max) remove(std::prev(by_use.end()));
    Entries fresh;  // spliced in once no step can fail any more
    fresh.push_front(std::move(entry));
    fresh.front().size = size;
    by_key.emplace(fresh.front().key, fresh.begin());
    by_use.splice(by_use.begin(), fresh);
    bytes += size;
    return true;
}

void MemoryCache::Shard::remove(Entries::iterator entry) {
    bytes -= entry->size;
    by_key.erase(entry->key);
    by_use.erase(entry);
}

}  // namespace consentry::storage
