// A grant names its generation (docs/decisions/0020): the security version of its account and the epoch of the
// installation that it was made under. The statement that matches or spends a grant compares both by one of these
// conditions; tests/rules/generations_test.cpp finds the statement that does not.
#pragma once

#include "storage/sql.hpp"

namespace consentry {

// One-row tables are read by scalar sub-selects and not joined: for a join PostgreSQL guesses a thousand rows, and may
// compile the statement before it runs it.

// What a new grant is written with.
inline constexpr storage::Text epoch_sql = "(SELECT e.grants FROM epochs e)";
template <storage::Text user>
inline constexpr storage::Text version_sql = "(SELECT g.security_version FROM users g WHERE g.id = " + user + ")";
inline constexpr storage::Text api_key_epoch_sql = "(SELECT e.api_keys FROM epochs e)";
inline constexpr storage::Text api_key_current_sql = "epoch = " + api_key_epoch_sql;

// `grant`: a table or its alias. Where the account is part of the statement, `owner` names it.
template <storage::Text grant>
inline constexpr storage::Text of_this_epoch_sql = grant + ".epoch = " + epoch_sql;
template <storage::Text grant, storage::Text owner>
inline constexpr storage::Text of_this_version_sql = grant + ".security_version = " + owner + ".security_version";
template <storage::Text grant, storage::Text owner>
inline constexpr storage::Text current_with_sql =
    of_this_version_sql<grant, owner> + " AND " + of_this_epoch_sql<grant>;
template <storage::Text grant>
inline constexpr storage::Text current_sql =
    grant + ".security_version = " + version_sql<grant + ".user_id"> + " AND " + of_this_epoch_sql<grant>;

}  // namespace consentry
