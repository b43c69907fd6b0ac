// So many requests of one client to one operation in a window; more are told when to come again. Load control, no guard
// against guessing: that is counted per account (LIM-1, LIM-3).
//
// With a shared cache all instances count together. Without it for a while, each counts for itself, and by half, so
// that it never becomes unlimited (LIM-5).
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/sliding_windows.hpp"
#include "http/request.hpp"
#include "http/response.hpp"
#include "http/steps/networks.hpp"
#include "storage/cache.hpp"

namespace consentry::http {

struct RateLimitOptions {
    std::int64_t limit = 10;  // 0: none
    milliseconds window{500};
    // Told when the cache stops answering, and when it answers again.
    std::function<void(bool available)> on_change = {};
};

class RateLimit {
public:
    // `cache` and `clock` outlive it.
    RateLimit(storage::Cache& cache, const Clock& clock, RateLimitOptions options);

    bool is_on() const { return options_.limit > 0; }
    // Whether the cache counts, for all instances together.
    bool is_shared() const { return available_.load(std::memory_order_relaxed); }
    boost::asio::awaitable<Admission> admit(std::string_view operation, const Address& client);

    // What clients plan by: X-RateLimit-*, and RateLimit fields of draft-ietf-httpapi-ratelimit-headers (LIM-6). The
    // policy names no window: the draft's are whole seconds.
    void append_headers(const Admission& admission, std::string& headers) const;
    // How long to wait, in whole seconds, at least one.
    static std::int64_t seconds_of(milliseconds wait);

private:
    void note(bool available);

    storage::Cache& cache_;
    const Clock& clock_;
    const RateLimitOptions options_;
    const std::string policy_lines_;  // the headers that all answers have alike
    SlidingWindows alone_;
    std::atomic<bool> available_{true};
};

}  // namespace consentry::http
