#include "tests/support/sql.hpp"

#include <stdexcept>

#include <sqlite3.h>

namespace consentry::tests {

std::vector<std::vector<std::string>> run_sql(const std::filesystem::path& database, const std::string& statement) {
    sqlite3* connection = nullptr;
    if (sqlite3_open(database.c_str(), &connection) != SQLITE_OK) throw std::runtime_error("cannot open the database");
    sqlite3_busy_timeout(connection, 5'000);
    std::vector<std::vector<std::string>> rows;
    char* error = nullptr;
    sqlite3_exec(
        connection, statement.c_str(),
        [](void* out, int columns, char** values, char**) {
            auto& row = static_cast<std::vector<std::vector<std::string>>*>(out)->emplace_back();
            for (int i = 0; i < columns; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
            return 0;
        },
        &rows, &error);
    const std::string text = error == nullptr ? "" : error;
    sqlite3_free(error);
    sqlite3_close(connection);
    if (!text.empty()) throw std::runtime_error(text);
    return rows;
}

}  // namespace consentry::tests
