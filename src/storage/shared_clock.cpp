#include "storage/shared_clock.hpp"

#include <algorithm>

namespace consentry::storage {

SharedClock::SharedClock(const Clock& own, Database& database)
    : own_(own), database_(database), followed_at_(own.lock_time()) {
    TimePoint asked_at = followed_at_;
    const auto server = database_.server_time_at_start([&] { asked_at = own_.lock_time(); });
    if (server) ahead_ms_ = ahead_of_server(asked_at, *server).count();
}

awaitable<void> SharedClock::follow() {
    const TimePoint asked_at = own_.lock_time();
    const auto server = co_await database_.server_time();
    if (!server) co_return;
    const std::int64_t off = ahead_of_server(asked_at, *server).count() - ahead_ms_;
    const std::int64_t most = std::max<std::int64_t>((asked_at - followed_at_.exchange(asked_at)).count() / 1'000, 0);
    ahead_ms_ += std::clamp(off, -most, most);
}

// The server read its clock at some point between request and response; assumes the midpoint.
milliseconds SharedClock::ahead_of_server(TimePoint asked_at, TimePoint server) const {
    return own_.ahead_of(server) - (own_.lock_time() - asked_at) / 2;
}

}  // namespace consentry::storage
