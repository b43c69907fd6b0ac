// The service's notion of time. Code that needs the current time takes a Clock by reference; only main creates a
// SystemClock, and tests use a ManualClock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace consentry {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Wall-clock time in UTC milliseconds: the unit of the wire format (metadata.timestamp) and of the database.
using TimePoint = std::chrono::time_point<std::chrono::system_clock, milliseconds>;

constexpr std::int64_t epoch_ms(TimePoint time) { return time.time_since_epoch().count(); }
constexpr std::int64_t epoch_seconds(TimePoint time) {
    return std::chrono::floor<seconds>(time.time_since_epoch()).count();
}
constexpr TimePoint from_epoch_ms(std::int64_t ms) { return TimePoint{milliseconds{ms}}; }
constexpr TimePoint from_epoch_seconds(std::int64_t s) { return TimePoint{seconds{s}}; }

// ISO 8601 with milliseconds: 2026-11-20T11:03:07.000Z. Years have four digits (RFC 3339, section 1): a time outside of
// the years 0 to 9999 becomes the first or last moment of them.
std::string to_iso8601(TimePoint time);
// Parses a date and time with an offset ("Z" or "+02:00") in the RFC 3339 section 5.6 profile of ISO 8601. Accepts up
// to nine fractional digits and keeps three.
std::optional<TimePoint> from_iso8601(std::string_view text);

// How far the clock of another instance may be ahead. A stored time that is further ahead was written before the system
// clock was set back, or by a clock that is wrong.
inline constexpr seconds clock_ahead_max{30};

// Returns whether the stored time lies less than `period` before `now`. Use it if something is allowed for a while
// after an event: if the stored time is too far ahead, it is unknown how long ago the event was, so the answer is
// false.
constexpr bool happened_within(milliseconds period, TimePoint stored, TimePoint now) {
    return stored <= now + clock_ahead_max && now < stored + period;
}

// How far the clock of another instance may be behind, or a system clock may be set back: what is good once is
// remembered for this long beyond its end.
inline constexpr std::chrono::days clock_error_max{1};

class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;  // thread-safe
    // The time that decides when locks begin and end (RAC-6), and how long a process keeps what it has in memory only.
    // It advances steadily from process start, including while the machine is suspended, and ignores changes to the
    // system clock: setting that clock neither shortens nor prolongs a lock.
    virtual TimePoint lock_time() const = 0;  // thread-safe
    // Returns how far lock_time() is ahead of another clock that reads `elsewhere` now.
    virtual milliseconds ahead_of(TimePoint elsewhere) const { return lock_time() - elsewhere; }
};

class SystemClock final : public Clock {
public:
    TimePoint now() const override {
        return std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
    }
    TimePoint lock_time() const override { return begin_ + (since_boot() - begin_since_boot_); }

private:
    static milliseconds since_boot();  // also advances while the machine is suspended
    TimePoint begin_ = std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
    milliseconds begin_since_boot_ = since_boot();
};

// A clock for tests that moves only when told to; other machines' clocks are assumed to agree with it. Thread-safe.
class ManualClock final : public Clock {
public:
    explicit ManualClock(TimePoint start) : now_ms_(epoch_ms(start)) {}
    TimePoint now() const override { return from_epoch_ms(now_ms_.load()); }
    void set(TimePoint time) { now_ms_.store(epoch_ms(time)); }
    void advance(milliseconds by) { now_ms_.fetch_add(by.count()); }
    // Simulates a change of the system clock: no time passes.
    void step(milliseconds by) {
        stepped_ms_.fetch_add(by.count());
        now_ms_.fetch_add(by.count());
    }
    TimePoint lock_time() const override { return from_epoch_ms(now_ms_.load() - stepped_ms_.load()); }
    milliseconds ahead_of(TimePoint) const override { return milliseconds{0}; }

private:
    std::atomic<std::int64_t> now_ms_;
    std::atomic<std::int64_t> stepped_ms_{0};
};

}  // namespace consentry
