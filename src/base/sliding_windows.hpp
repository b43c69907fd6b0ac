// Counts events per key: at most `limit` of them in any stretch of `window`. In this process, bounded, thread-safe.
//
// Up to exact_limit_max the times of the events are kept, so that the bound holds for every stretch, also across what
// would be the edge of a fixed window (LIM-1). Above, events are counted in windows that begin with a key's first
// event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"

namespace consentry {

// What became of one event.
struct Admission {
    bool admitted = true;
    std::int64_t remaining = 0;  // how many more would be admitted now
    milliseconds wait{};         // until one more than that would be
};

class SlidingWindows {
public:
    static constexpr std::int64_t exact_limit_max = 100;

    // Keys beyond `keys_max` in a window share one count: memory stays flat, and nobody gains by it (LIM-4).
    explicit SlidingWindows(std::size_t keys_max = 100'000);

    // A key is always asked for with the same limit and window.
    Admission admit(std::string_view key, std::int64_t limit, milliseconds window, TimePoint now);
    std::size_t keys() const;

private:
    struct Entry {
        std::vector<std::int64_t> times;  // a ring of the last `limit` events, from `next` on the oldest first
        std::size_t next = 0;
        std::int64_t begin = 0;  // of a counted window
        std::int64_t count = 0;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using Entries = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;
    // Two generations: what was not asked for during a whole window is forgotten as one.
    struct Shard {
        mutable std::mutex mutex;
        std::int64_t window = 1;  // the longest that was asked for
        std::int64_t turned = 0;
        Entries young, old;
    };

    Entry& find(Shard& shard, std::string_view key, std::int64_t now);

    static constexpr std::size_t shard_count = 16;
    const std::size_t keys_per_shard_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace consentry
