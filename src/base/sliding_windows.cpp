#include "base/sliding_windows.hpp"

#include <algorithm>

namespace consentry {
namespace {

Admission remembered(std::vector<std::int64_t>& times, std::size_t& next, std::int64_t limit, std::int64_t window,
                     std::int64_t now) {
    std::int64_t living = 0;
    std::int64_t oldest = now;
    for (const std::int64_t time : times) {
        // Setting the clock back must not keep old events forever (RAC-6).
        if (time > now || now - time >= window) continue;
        ++living;
        oldest = std::min(oldest, time);
    }
    const milliseconds wait{oldest + window - now};
    if (living >= limit) return {.admitted = false, .remaining = 0, .wait = wait};
    const auto size = static_cast<std::size_t>(limit);
    if (times.size() < size) {
        times.push_back(now);
    } else {
        times[next] = now;
        next = (next + 1) % size;
    }
    return {.admitted = true, .remaining = limit - living - 1, .wait = wait};
}

Admission counted(std::int64_t& begin, std::int64_t& count, std::int64_t limit, std::int64_t window, std::int64_t now) {
    if (now >= begin + window || now < begin) {
        begin = now;
        count = 0;
    }
    const milliseconds wait{begin + window - now};
    if (count >= limit) return {.admitted = false, .remaining = 0, .wait = wait};
    ++count;
    return {.admitted = true, .remaining = limit - count, .wait = wait};
}

}  // namespace

SlidingWindows::SlidingWindows(std::size_t keys_max)
    : keys_per_shard_(std::max<std::size_t>(1, keys_max / shard_count)) {}

Admission SlidingWindows::admit(std::string_view key, std::int64_t limit, milliseconds window, TimePoint at) {
    const std::int64_t now = epoch_ms(at);
    const std::int64_t length = std::max<std::int64_t>(1, window.count());
    Shard& shard = shards_[Hash{}(key) % shard_count];
    const std::lock_guard lock(shard.mutex);
    shard.window = std::max(shard.window, length);
    Entry& entry = find(shard, key, now);
    if (limit <= exact_limit_max) return remembered(entry.times, entry.next, limit, length, now);
    return counted(entry.begin, entry.count, limit, length, now);
}

std::size_t SlidingWindows::keys() const {
    std::size_t sum = 0;
    for (const Shard& shard : shards_) {
        const std::lock_guard lock(shard.mutex);
        sum += shard.young.size() + shard.old.size();
    }
    return sum;
}

SlidingWindows::Entry& SlidingWindows::find(Shard& shard, std::string_view key, std::int64_t now) {
    if (now >= shard.turned + shard.window || now < shard.turned) {
        const bool all_over = now >= shard.turned + 2 * shard.window;
        shard.old = all_over ? Entries{} : std::move(shard.young);
        shard.young.clear();
        shard.turned = now;
    }
    if (const auto found = shard.young.find(key); found != shard.young.end()) return found->second;
    if (const auto known = shard.old.find(key); known != shard.old.end())
        return shard.young.insert(shard.old.extract(known)).position->second;
    const bool is_full = shard.young.size() >= keys_per_shard_;
    return shard.young[is_full ? std::string() : std::string(key)];
}

}  // namespace consentry
