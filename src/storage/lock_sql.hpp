// base/lock_ladder.hpp in the shared SQL dialect, so that one statement both counts a failure and sets the lock.
#pragma once

#include "storage/sql.hpp"

namespace consentry::storage {

// The end of the lock after one more failure, or NULL where it does not lock yet: `attempt` is a BIGINT column; `max`,
// `now_ms` and `base_ms` are parameters: failures that lock, milliseconds since 1970, and the ladder's base in
// milliseconds as DOUBLE PRECISION, at least 1. Agrees with LockLadder::duration to the millisecond
// (tests/contracts holds both together); saturates at lock_max, 2^48 ms (TFA-8). From 48 rungs on power() is not even
// asked: it would overflow, which PostgreSQL refuses.
template <Text attempt, Text max, Text now_ms, Text base_ms>
inline constexpr Text lock_end_sql = [] {
    constexpr Text failures_max = "CAST(" + max + " AS BIGINT)";
    constexpr Text lock_max_end = now_ms + " + 281474976710656";
    constexpr Text lock_ms = "ceil(power(CAST(2 AS DOUBLE PRECISION), CAST(" + attempt +
                             " + 1 AS DOUBLE PRECISION) / " + failures_max + ") * CAST(" + base_ms +
                             " AS DOUBLE PRECISION))";
    return "CASE WHEN " + attempt + " + 1 < " + failures_max + " THEN NULL WHEN " + attempt + " + 1 >= 48 * " +
           failures_max + " THEN " + lock_max_end + " WHEN " + lock_ms + " >= 281474976710656 THEN " + lock_max_end +
           " ELSE " + now_ms + " + CAST(" + lock_ms + " AS BIGINT) END";
}();

}  // namespace consentry::storage
