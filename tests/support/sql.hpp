// Direct access to a database file through the sqlite3 library, for facts that HTTP does not show. The service may have
// the file open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace consentry::tests {

// Returns the rows as text; NULL is empty. Throws std::runtime_error with SQLite's message.
std::vector<std::vector<std::string>> run_sql(const std::filesystem::path& database, const std::string& statement);

}  // namespace consentry::tests
