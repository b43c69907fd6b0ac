#include "http/steps/rate_limit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consentry::http {
namespace {

constexpr seconds quiet{10};  // without a failure, until the cache counts as available again

}  // namespace

RateLimit::RateLimit(storage::Cache& cache, const Clock& clock, RateLimitOptions options)
    : cache_(cache),
      clock_(clock),
      options_(std::move(options)),
      policy_lines_(fmt::format("X-RateLimit-Limit: {0}\r\nRateLimit-Policy: \"default\";q={0}\r\n", options_.limit)) {}

boost::asio::awaitable<Admission> RateLimit::admit(std::string_view operation, const Address& client) {
    std::string key;
    key.reserve(64);
    key.append("Throttle:").append(operation).append(":").append(client_key(client));
    try {
        Admission admission = co_await cache_.admit(key, options_.limit, options_.window);
        note_success();
        co_return admission;
    } catch (const Unavailable&) {
        note_failure();
    }
    co_return alone_.admit(key, std::max<std::int64_t>(1, options_.limit / 2), options_.window, clock_.lock_time());
}

void RateLimit::note_success() {
    if (shared_.load(std::memory_order_acquire)) return;
    if (clock_.lock_time() - from_epoch_ms(last_failure_ms_.load()) < quiet) return;
    if (!shared_.exchange(true) && options_.on_change) options_.on_change(true);
}

void RateLimit::note_failure() {
    last_failure_ms_.store(epoch_ms(clock_.lock_time()));
    if (shared_.exchange(false) && options_.on_change) options_.on_change(false);
}

std::int64_t RateLimit::seconds_of(milliseconds wait) {
    return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
}

void RateLimit::append_headers(const Admission& admission, std::string& headers) const {
    const std::int64_t seconds = seconds_of(admission.wait);
    headers.append(policy_lines_).append("X-RateLimit-Remaining: ");
    append_number(headers, admission.remaining);
    headers.append("\r\nX-RateLimit-Reset: ");
    append_number(headers, seconds);
    headers.append("\r\nRateLimit: \"default\";r=");
    append_number(headers, admission.remaining);
    headers.append(";t=");
    append_number(headers, seconds);
    headers.append("\r\n");
}

}  // namespace consentry::http
