// base/lock_ladder.hpp in the shared SQL dialect, so that one statement both counts a failure and sets the lock.
#pragma once

// The end of the lock after one more failure, or NULL where it does not lock yet: `attempt` is a BIGINT column; MAX,
// NOW_MS and BASE_MS are parameters: failures that lock, milliseconds since 1970, and the ladder's base in
// milliseconds as DOUBLE PRECISION, at least 1. Agrees with LockLadder::duration to the millisecond
// (tests/contracts holds both together); saturates at lock_max, 2^48 ms (TFA-8). From 48 rungs on power() is not even
// asked: it would overflow, which PostgreSQL refuses.
#define CONSENTRY_LOCK_MS_SQL_(attempt, MAX, BASE_MS)                                               \
    "ceil(power(CAST(2 AS DOUBLE PRECISION), CAST(" attempt " + 1 AS DOUBLE PRECISION) / CAST(" MAX \
    " AS BIGINT)) * CAST(" BASE_MS " AS DOUBLE PRECISION))"
#define CONSENTRY_LOCK_END_SQL(attempt, MAX, NOW_MS, BASE_MS)                                              \
    "CASE WHEN " attempt " + 1 < CAST(" MAX " AS BIGINT) THEN NULL WHEN " attempt " + 1 >= 48 * CAST(" MAX \
    " AS BIGINT) THEN " NOW_MS " + 281474976710656 WHEN " CONSENTRY_LOCK_MS_SQL_(                          \
        attempt, MAX, BASE_MS) " >= 281474976710656 THEN " NOW_MS " + 281474976710656 ELSE " NOW_MS        \
                               " + CAST(" CONSENTRY_LOCK_MS_SQL_(attempt, MAX, BASE_MS) " AS BIGINT) END"
