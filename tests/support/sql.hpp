// Straight into a database file, for what HTTP does not show: through the sqlite3 library, beside whoever has it open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace consentry::tests {

// Rows of texts; NULL is empty. Throws std::runtime_error with SQLite's words.
std::vector<std::vector<std::string>> run_sql(const std::filesystem::path& database, const std::string& statement);

}  // namespace consentry::tests
