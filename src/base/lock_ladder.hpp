// Duration of the lock after failed attempts: 2^(attempt / attempts_max) x base, from attempt attempts_max on.
//
// Second factors and passwords share this ladder. The failure counter outlives the lock on purpose: only a success
// resets it, so a patient attacker faces ever longer locks. The exponent is a real number: with the specification's 5
// attempts and 120 s, attempt 5 locks for 240 s and attempt 6 for 275.7 s.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace consentry {

struct LockLadder {
    int attempts_max = 5;
    milliseconds base{120'000};

    // Returns zero below attempts_max. Never decreases with `attempt` and never exceeds lock_max (TFA-8). Rounded up.
    milliseconds duration(std::int64_t attempt) const;
};

// Upper bound of a lock (8,900 years): far beyond any practical use, yet adding it to the current time cannot overflow.
inline constexpr milliseconds lock_max{std::int64_t{1} << 48};

// Converts milliseconds to whole seconds, rounded up, at least 1: the value of Retry-After and retryAfterSeconds.
constexpr std::int64_t whole_seconds(milliseconds wait) {
    return wait <= milliseconds{1000} ? 1 : (wait.count() + 999) / 1000;
}

}  // namespace consentry
