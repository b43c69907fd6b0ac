// Time as the rules of the service see it. Whoever needs "now" takes a Clock by reference; only main
// makes a SystemClock, and tests hold one they can turn.
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

// Wall-clock time in milliseconds, UTC: the unit of the wire (metadata.timestamp) and of the database.
using TimePoint = std::chrono::time_point<std::chrono::system_clock, milliseconds>;

constexpr std::int64_t epoch_ms(TimePoint time) { return time.time_since_epoch().count(); }
constexpr std::int64_t epoch_seconds(TimePoint time) {
    return std::chrono::floor<seconds>(time.time_since_epoch()).count();
}
constexpr TimePoint from_epoch_ms(std::int64_t ms) { return TimePoint{milliseconds{ms}}; }
constexpr TimePoint from_epoch_seconds(std::int64_t s) { return TimePoint{seconds{s}}; }

// ISO 8601 with milliseconds: 2026-11-20T11:03:07.000Z
std::string to_iso8601(TimePoint time);
// A date and time of day with its offset ("Z" or "+02:00"), as RFC 3339 section 5.6 narrows ISO 8601; up to nine digits
// of a second, of which three count.
std::optional<TimePoint> from_iso8601(std::string_view text);

class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;  // thread-safe
    // The time by which locks begin and end (RAC-6). It goes on from the start of the process, pauses of the machine
    // included, whatever is done to the machine's clock: a lock is neither ended nor prolonged by setting that clock.
    virtual TimePoint lock_time() const = 0;  // thread-safe
    // How far lock_time() is ahead of a clock elsewhere that shows this time now.
    virtual milliseconds ahead_of(TimePoint elsewhere) const { return lock_time() - elsewhere; }
};

class SystemClock final : public Clock {
public:
    TimePoint now() const override {
        return std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
    }
    TimePoint lock_time() const override { return begin_ + (since_boot() - begin_since_boot_); }

private:
    static milliseconds since_boot();  // goes on while the machine sleeps
    TimePoint begin_ = std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
    milliseconds begin_since_boot_ = since_boot();
};

// A clock that stands still until it is told to move, and the clocks of all other machines with it; thread-safe.
class ManualClock final : public Clock {
public:
    explicit ManualClock(TimePoint start) : now_ms_(epoch_ms(start)) {}
    TimePoint now() const override { return from_epoch_ms(now_ms_.load()); }
    void set(TimePoint time) { now_ms_.store(epoch_ms(time)); }
    void advance(milliseconds by) { now_ms_.fetch_add(by.count()); }
    // As if somebody set the machine's clock: no time passes.
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
