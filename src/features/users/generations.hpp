// A grant names its generation (docs/decisions/0020): the security version of its account and the epoch of the
// installation that it was made under. The statement that matches or spends a grant compares both by one of these
// conditions; tests/rules/generations_test.cpp finds the statement that does not.
#pragma once

// One-row tables are read by scalar sub-selects and not joined: for a join PostgreSQL guesses a thousand rows, and may
// compile the statement before it runs it.

// What a new grant is written with.
#define CONSENTRY_EPOCH_SQL "(SELECT e.grants FROM epochs e)"
#define CONSENTRY_VERSION_SQL(user) "(SELECT g.security_version FROM users g WHERE g.id = " user ")"
#define CONSENTRY_API_KEY_EPOCH_SQL "(SELECT e.api_keys FROM epochs e)"
#define CONSENTRY_API_KEY_CURRENT_SQL "epoch = " CONSENTRY_API_KEY_EPOCH_SQL

// `grant`: a table or its alias. Where the account is part of the statement, `owner` names it.
#define CONSENTRY_OF_THIS_EPOCH_SQL(grant) grant ".epoch = " CONSENTRY_EPOCH_SQL
#define CONSENTRY_OF_THIS_VERSION_SQL(grant, owner) grant ".security_version = " owner ".security_version"
#define CONSENTRY_CURRENT_WITH_SQL(grant, owner) \
    CONSENTRY_OF_THIS_VERSION_SQL(grant, owner) " AND " CONSENTRY_OF_THIS_EPOCH_SQL(grant)
#define CONSENTRY_CURRENT_SQL(grant) \
    grant ".security_version = " CONSENTRY_VERSION_SQL(grant ".user_id") " AND " CONSENTRY_OF_THIS_EPOCH_SQL(grant)
