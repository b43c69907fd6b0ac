// Limits the requests of one client to one operation per window; requests above the limit are told when to retry. This
// is load control, not protection against guessing, which is counted per account (LIM-1, LIM-3).
//
// All instances count together in a shared cache. If a call to the cache fails, the instance counts that request on its
// own, with half the limit, so that requests are never unlimited (LIM-5).
#pragma once

#include <atomic>
#include <cstdint>
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
    std::int64_t limit = 10;  // 0: unlimited
    milliseconds window{500};
    // Called whenever is_shared() changes.
    std::function<void(bool shared)> on_change = {};
};

class RateLimit {
public:
    // `cache` and `clock` must outlive this object.
    RateLimit(storage::Cache& cache, const Clock& clock, RateLimitOptions options);

    bool is_on() const { return options_.limit > 0; }
    // Whether all instances count together in the cache: false from the first call that fails, until one succeeds and
    // none has failed for ten seconds. If a part of the cache is down, calls fail and succeed by turns.
    bool is_shared() const { return shared_.load(std::memory_order_relaxed); }
    boost::asio::awaitable<Admission> admit(std::string_view operation, const Address& client);

    // Appends the headers by which clients plan: X-RateLimit-*, and the RateLimit fields of
    // draft-ietf-httpapi-ratelimit-headers (LIM-6). The policy states no window, because the draft allows only whole
    // seconds.
    void append_headers(const Admission& admission, std::string& headers) const;
    // Returns the wait in whole seconds, rounded up, at least one.
    static std::int64_t seconds_of(milliseconds wait);

private:
    void note_success();
    void note_failure();

    storage::Cache& cache_;
    const Clock& clock_;
    const RateLimitOptions options_;
    const std::string policy_lines_;  // the headers common to all answers
    SlidingWindows alone_;
    std::atomic<bool> shared_{true};
    std::atomic<std::int64_t> last_failure_ms_{0};  // by Clock::lock_time()
};

}  // namespace consentry::http
