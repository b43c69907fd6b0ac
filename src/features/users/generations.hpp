// Every grant records its generation (docs/decisions/0020): the account's security version and the installation's epoch
// at the time of the grant. A statement that matches or spends a grant must compare both, using one of these
// conditions; tests/rules/generations_test.cpp finds statements that do not.
#pragma once

#include "storage/sql.hpp"

namespace consentry {

// One-row tables are read by scalar sub-selects instead of joins: PostgreSQL estimates a thousand rows for such a join,
// and may then JIT-compile the statement before running it.

// The generation to store in a new grant. If the transaction rests on an earlier grant, the statement that compares the
// epoch of that one comes after: on PostgreSQL, each statement reads the epoch anew, and a raise in between would
// otherwise give the new grant the new epoch. A PrivilegedTransaction sees to this itself.
inline constexpr storage::Text epoch_sql = "(SELECT e.grants FROM epochs e)";
template <storage::Text user>
inline constexpr storage::Text version_sql = "(SELECT g.security_version FROM users g WHERE g.id = " + user + ")";
inline constexpr storage::Text api_key_epoch_sql = "(SELECT e.api_keys FROM epochs e)";
inline constexpr storage::Text api_key_current_sql = "epoch = " + api_key_epoch_sql;

// `grant` is a table or its alias. `owner` names the users table in statements that include the account.
template <storage::Text grant>
inline constexpr storage::Text of_this_epoch_sql = grant + ".epoch = " + epoch_sql;
template <storage::Text grant, storage::Text owner>
inline constexpr storage::Text of_this_version_sql = grant + ".security_version = " + owner + ".security_version";
template <storage::Text grant, storage::Text owner>
inline constexpr storage::Text current_with_sql =
    of_this_version_sql<grant, owner> + " AND " + of_this_epoch_sql<grant>;
// `user` is the owner's id, best as a parameter: PostgreSQL and SQLite then read the version once per statement instead
// of once per row.
template <storage::Text grant, storage::Text user>
inline constexpr storage::Text current_sql =
    grant + ".security_version = " + version_sql<user> + " AND " + of_this_epoch_sql<grant>;

}  // namespace consentry
