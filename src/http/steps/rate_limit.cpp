#include "http/steps/rate_limit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consentry::http {

boost::asio::awaitable<Admission> RateLimit::admit(std::string_view operation, const Address& client) {
    std::string key = "Throttle:";
    key.append(operation).append(":").append(client_key(client));
    try {
        Admission admission = co_await cache_.admit(key, options_.limit, options_.window);
        note(true);
        co_return admission;
    } catch (const Unavailable&) {
        note(false);
    }
    co_return alone_.admit(key, std::max<std::int64_t>(1, options_.limit / 2), options_.window, clock_.now());
}

void RateLimit::note(bool available) {
    if (available_.load(std::memory_order_relaxed) == available) return;
    if (available_.exchange(available) != available && options_.on_change) options_.on_change(available);
}

std::int64_t RateLimit::seconds_of(milliseconds wait) {
    return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
}

void RateLimit::append_headers(const Admission& admission, std::string& headers) const {
    const std::int64_t seconds = seconds_of(admission.wait);
    fmt::format_to(std::back_inserter(headers),
                   "X-RateLimit-Limit: {0}\r\nX-RateLimit-Remaining: {1}\r\nX-RateLimit-Reset: {2}\r\n"
                   "RateLimit-Policy: \"default\";q={0}\r\nRateLimit: \"default\";r={1};t={2}\r\n",
                   options_.limit, admission.remaining, seconds);
}

}  // namespace consentry::http
