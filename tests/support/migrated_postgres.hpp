// A database of its own in the shared PostgreSQL (shared_engines.hpp), with all tables, dropped afterwards. It is a
// copy of a template that the first test migrates: copying costs a fifth of migrating. For tests that do not look at
// migrations themselves; those use PostgresSchema.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "tests/support/postgres_sql.hpp"

namespace consentry::tests {

class MigratedPostgres {
public:
    MigratedPostgres();
    ~MigratedPostgres();
    MigratedPostgres(const MigratedPostgres&) = delete;
    MigratedPostgres& operator=(const MigratedPostgres&) = delete;

    // With a connect timeout of half a minute, because shared machines stall at times.
    const std::string& url() const { return url_; }
    // As PostgresConnection::run(). Thread-safe. Also has hex(bytea), as SQLite does.
    SqlRows sql(const std::string& statement) const;

private:
    const std::string name_;
    const std::string url_;
    mutable std::mutex mutex_;
    mutable std::vector<PostgresConnection> idle_;  // a new connection costs the server more than most statements
};

}  // namespace consentry::tests
