// Direct access to a PostgreSQL database, for facts that HTTP does not show. The counterpart of sql.hpp.
#pragma once

#include <string>
#include <vector>

namespace consentry::tests {

using SqlRows = std::vector<std::vector<std::string>>;

// Returns the rows as text; NULL is empty. Opens a new connection for each call. Several statements, separated by
// semicolons, run as one transaction and return the rows of the last one. Throws std::runtime_error with PostgreSQL's
// message.
SqlRows run_postgres_sql(const std::string& url, const std::string& statement);

}  // namespace consentry::tests
