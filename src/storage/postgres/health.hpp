// The shared state of the server: whether it is up, which thread may try to reconnect, and where it begins.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace consentry::storage::postgres {

// Thread-safe. While the server is down, calls are refused at once, except for one caller at a time that retries after
// an increasing pause. Callers thus never queue for a server that does not answer, and notice its return quickly.
class Health {
public:
    bool is_up() const { return up_.load(std::memory_order_relaxed); }
    // Whether the caller may connect now. If the server is down and this returns true, the caller must report
    // succeeded() or failed().
    bool may_connect() {
        if (is_up()) return true;
        if (now() < next_attempt_.load() || attempting_.exchange(true)) return false;
        return true;
    }
    void succeeded() {
        failures_.store(0);
        attempting_.store(false);
        up_.store(true);
    }
    void failed() {
        const int failures = failures_.fetch_add(1);
        constexpr std::int64_t first_pause_us = 50'000;
        constexpr std::int64_t longest_pause_us = 1'000'000;
        next_attempt_.store(now() + std::min(longest_pause_us, first_pause_us << std::min(failures, 5)));
        up_.store(false);
        attempting_.store(false);
    }

    // The server refused a write, such as for want of disk space; only another write can tell whether it works again.
    std::atomic<bool> writes_fail{false};
    // The place in the URL's list of the host that let a connection in last.
    std::atomic<std::size_t> host{0};

private:
    static std::int64_t now() {
        return std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
    std::atomic<bool> up_{true};
    std::atomic<bool> attempting_{false};
    std::atomic<int> failures_{0};
    std::atomic<std::int64_t> next_attempt_{0};  // microseconds of the steady clock
};

}  // namespace consentry::storage::postgres
