// Counts events per key and admits at most `limit` of them in any period of length `window`. Process-local, bounded in
// memory, thread-safe.
//
// For limits up to exact_limit_max it stores the time of each event, so the bound holds for every period, including
// those that would straddle the edge of a fixed window (LIM-1). For higher limits it counts events in fixed windows
// that begin with a key's first event.
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

// Outcome of one event.
struct Admission {
    bool admitted = true;
    std::int64_t remaining = 0;  // how many more events would be admitted now
    milliseconds wait{};         // until `remaining` grows
};

class SlidingWindows {
public:
    static constexpr std::int64_t exact_limit_max = 100;

    // Keys beyond `keys_max` in a window share one counter: memory stays bounded, and an attacker gains nothing by
    // flooding keys (LIM-4).
    explicit SlidingWindows(std::size_t keys_max = 100'000);

    // A key must always be used with the same limit and window.
    Admission admit(std::string_view key, std::int64_t limit, milliseconds window, TimePoint at);
    std::size_t keys() const;

private:
    struct Entry {
        std::vector<std::int64_t> times;  // ring buffer of the last `limit` events; `next` is the oldest
        std::size_t next = 0;
        std::int64_t begin = 0;  // start of a counted window
        std::int64_t count = 0;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using Entries = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;
    // Two generations: keys not used during a whole window are dropped together.
    struct Shard {
        mutable std::mutex mutex;
        std::int64_t window = 1;  // the longest window requested
        std::int64_t turned = 0;
        Entries young, old;
    };

    Entry& find(Shard& shard, std::string_view key, std::int64_t now);

    static constexpr std::size_t shard_count = 16;
    const std::size_t keys_per_shard_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace consentry
