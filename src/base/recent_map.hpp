// A bounded, thread-safe least-recently-used map.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace consentry {

template <class Key, class Value, class Hash = std::hash<Key>>
class RecentMap {
public:
    explicit RecentMap(std::size_t entries_max) : shard_max_(entries_max / shard_count + 1) {}

    std::optional<Value> find(const Key& key) {
        Shard& shard = shard_of(key);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.places.find(key);
        if (found == shard.places.end()) return std::nullopt;
        shard.order.splice(shard.order.begin(), shard.order, found->second);
        return found->second->second;
    }

    // Replaces an existing value. Evicts the least recently used entries when the map is full.
    void put(const Key& key, Value value) {
        Shard& shard = shard_of(key);
        const std::lock_guard lock(shard.mutex);
        if (const auto found = shard.places.find(key); found != shard.places.end()) {
            found->second->second = std::move(value);
            return;
        }
        shard.order.emplace_front(key, std::move(value));
        shard.places.emplace(key, shard.order.begin());
        if (shard.places.size() > shard_max_) {
            shard.places.erase(shard.order.back().first);
            shard.order.pop_back();
        }
    }

    void erase(const Key& key) {
        Shard& shard = shard_of(key);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.places.find(key);
        if (found == shard.places.end()) return;
        shard.order.erase(found->second);
        shard.places.erase(found);
    }

private:
    static constexpr std::size_t shard_count = 16;
    struct Shard {
        std::mutex mutex;
        std::list<std::pair<Key, Value>> order;  // newest first
        std::unordered_map<Key, typename std::list<std::pair<Key, Value>>::iterator, Hash> places;
    };
    // Uses other hash bits than those that select a bucket within the shard.
    Shard& shard_of(const Key& key) { return shards_[(Hash{}(key) >> 24U) % shard_count]; }

    const std::size_t shard_max_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace consentry
