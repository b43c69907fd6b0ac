// How long failures lock: 2^(attempt / attempts_max) x base, from attempt attempts_max on.
//
// The same ladder guards second factors and passwords. The counter outlives the lock on purpose: only a success
// resets it, so that a patient guesser meets ever longer locks. The exponent is a real number: with the
// specification's 5 attempts and 120 s, attempt 5 locks for 240 s and attempt 6 for 275.7 s.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace consentry {

struct LockLadder {
    int attempts_max = 5;
    milliseconds base{120'000};

    // Zero below attempts_max; never decreasing in `attempt`; at most lock_max (TFA-8). Rounded up.
    milliseconds duration(std::int64_t attempt) const;
};

// Where the ladder ends: far beyond any use, far from overflow when added to the time of day (8 900 years).
inline constexpr milliseconds lock_max{std::int64_t{1} << 48};

// Milliseconds as whole seconds, rounded up, at least 1: what Retry-After and retryAfterSeconds say.
constexpr std::int64_t whole_seconds(milliseconds wait) {
    return wait <= milliseconds{1000} ? 1 : (wait.count() + 999) / 1000;
}

}  // namespace consentry
