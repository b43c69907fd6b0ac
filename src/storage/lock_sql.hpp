// base/lock_ladder.hpp in the shared SQL dialect, so that one statement both counts a failure and sets the lock.
#pragma once

#include "storage/sql.hpp"

namespace consentry::storage {

// The end of the lock after one more failure, or NULL if it does not lock yet. `attempt` is a BIGINT column.
// The parameters are `max` (failures before a lock), `now_ms` (milliseconds since 1970) and `base_ms` (the ladder's
// base in milliseconds, DOUBLE PRECISION, at least 1). Agrees with LockLadder::duration to the millisecond
// (tests/contracts compares them) and saturates at lock_max, 2^48 ms (TFA-8). From rung 48 on it does not call power(),
// which would overflow, an error in PostgreSQL.
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
