// Prevents a client from flooding the security event stream: per client, kind and window, events are recorded
// individually up to a bound. Further events are counted and summarized in one line at the end of the window (LOG-4).
//
// A client is an IPv4 address or an IPv6 /64. A kind is an event name with an outcome. Actions of operators on the
// machine and changes made by administrators are always recorded. Memory is bounded: when there are too many clients,
// the oldest window is summarized and evicted, so that a new client is always recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/security_events.hpp"

namespace consentry {

class BoundedEvents final : public SecurityEvents {
public:
    struct Options {
        milliseconds window = std::chrono::minutes{10};
        std::uint64_t refusals_max = 60;    // failures and refusals: all that an unauthenticated client can cause
        std::uint64_t successes_max = 600;  // successes require an account, or a change to one
        std::size_t windows_max = 10'000;   // about 2 MB
    };

    // `next` and `clock` must outlive this object.
    BoundedEvents(SecurityEvents& next, const Clock& clock) : BoundedEvents(next, clock, Options{}) {}
    BoundedEvents(SecurityEvents& next, const Clock& clock, Options options);
    ~BoundedEvents() override;  // reports its counts
    BoundedEvents(const BoundedEvents&) = delete;
    BoundedEvents& operator=(const BoundedEvents&) = delete;

    void record(const SecurityEvent& event) noexcept override;

    // Reports all windows that have ended. Called periodically; otherwise the next event does so.
    void settle() noexcept;

    std::size_t windows() const;

private:
    struct Window {
        std::string key;  // kind and client
        std::string name;
        Outcome outcome;
        std::string client;
        TimePoint begun;
        std::uint64_t told = 0;
        std::uint64_t suppressed = 0;
    };
    using Windows = std::list<Window>;

    bool admit(const SecurityEvent& event, TimePoint now);
    bool is_over(const Window& window, TimePoint now) const;
    void end(Windows::iterator window);
    void settle(TimePoint now);

    SecurityEvents& next_;
    const Clock& clock_;
    const Options options_;
    mutable std::mutex mutex_;
    Windows windows_;                                                // oldest first
    std::unordered_map<std::string_view, Windows::iterator> known_;  // by Window::key
};

}  // namespace consentry
