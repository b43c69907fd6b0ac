// Direct access to a PostgreSQL database, for facts that HTTP does not show. The counterpart of sql.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

struct pg_conn;

namespace consentry::tests {

using SqlRows = std::vector<std::vector<std::string>>;

// A connection for one thread at a time. Both functions throw std::runtime_error with PostgreSQL's message.
class PostgresConnection {
public:
    explicit PostgresConnection(const std::string& url);
    // Returns the rows as text; NULL is empty. Several statements, separated by semicolons, run as one transaction and
    // return the rows of the last one.
    SqlRows run(const std::string& statement) const;

private:
    struct Finish {
        void operator()(pg_conn* connection) const;
    };
    std::unique_ptr<pg_conn, Finish> connection_;
};

// Runs a statement on a new connection.
SqlRows run_postgres_sql(const std::string& url, const std::string& statement);

}  // namespace consentry::tests
