// How statements give an account all its password attempts back. All of its columns change together: checks that died
// with their process wait in password_pending, and left there, they would become failures of the next run
// (docs/decisions/0004). tests/rules/sql_test.cpp finds statements that do it by themselves.
#pragma once

#include "storage/sql.hpp"

namespace consentry {

// Also forgets checks that are under way, which is right: one that fails counts itself.
inline constexpr storage::Text clear_attempts_sql =
    "password_attempt = 0, password_locked_until = NULL, password_pending = 0, password_pending_until = NULL";

// The same if `condition`, such as a parameter, is true.
template <storage::Text condition>
inline constexpr storage::Text clear_attempts_if_sql =
    "password_attempt = CASE WHEN " + condition + " THEN 0 ELSE password_attempt END, " +
    "password_locked_until = CASE WHEN " + condition + " THEN NULL ELSE password_locked_until END, " +
    "password_pending = CASE WHEN " + condition + " THEN 0 ELSE password_pending END, " +
    "password_pending_until = CASE WHEN " + condition + " THEN NULL ELSE password_pending_until END";

}  // namespace consentry
