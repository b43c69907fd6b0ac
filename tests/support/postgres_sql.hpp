// Straight into a PostgreSQL database, for what HTTP does not show: the twin of sql.hpp.
#pragma once

#include <string>
#include <vector>

namespace consentry::tests {

using SqlRows = std::vector<std::vector<std::string>>;

// Rows of texts; NULL is empty. On a connection of its own, which is gone afterwards. Of several statements, separated
// by semicolons and run as one transaction, the last one's rows. Throws std::runtime_error with PostgreSQL's words.
SqlRows run_postgres_sql(const std::string& url, const std::string& statement);

}  // namespace consentry::tests
