// Keeps the stream of security events from being washed out: what one client causes is told one by one up to a bound,
// per kind and window; the rest is counted, and told in one line when the window is over (LOG-4).
//
// A client is an IPv4 address or an IPv6 /64. A kind is a name with an outcome. What operators do at the machine and
// what administrators change is always told. Memory is bounded: where too many clients are at it, the one whose window
// began first is told of and forgotten, so that a newcomer is never silent for want of room.
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
        std::uint64_t refusals_max = 60;    // failures and refusals: all that a stranger can do
        std::uint64_t successes_max = 600;  // take an account, or a change of one
        std::size_t windows_max = 10'000;   // about 2 MB
    };

    // `next` and `clock` outlive it.
    BoundedEvents(SecurityEvents& next, const Clock& clock) : BoundedEvents(next, clock, Options{}) {}
    BoundedEvents(SecurityEvents& next, const Clock& clock, Options options);
    ~BoundedEvents() override;  // tells what it counted
    BoundedEvents(const BoundedEvents&) = delete;
    BoundedEvents& operator=(const BoundedEvents&) = delete;

    void record(const SecurityEvent& event) noexcept override;

    // Tells of all windows that are over. For now and then: without it, the next event does so.
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
    Windows windows_;                                                // the oldest first
    std::unordered_map<std::string_view, Windows::iterator> known_;  // by Window::key
};

}  // namespace consentry
