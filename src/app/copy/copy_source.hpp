// The SQLite database being copied.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "app/copy/copy_schema.hpp"

struct sqlite3;

namespace consentry {

// A read-only snapshot: later commits of other processes are not visible. The constructor and the member functions
// throw std::runtime_error naming the file and the problem. Not thread-safe.
class CopySource {
public:
    // Requires a Consentry database with exactly this schema version.
    CopySource(std::filesystem::path file, std::int64_t version);

    // The columns of each table, except the migrations table.
    const std::map<std::string, std::set<std::string>>& tables() const { return tables_; }
    std::int64_t count(const CopiedTable& table) const;
    // Calls `row` once per row, reading on demand. Also throws if a value does not fit its column, naming table, row
    // and column but never the value.
    void read(const CopiedTable& table, const CopySink& row) const;

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    void require_version(std::int64_t version);

    std::filesystem::path file_;
    std::unique_ptr<sqlite3, Close> database_;
    std::map<std::string, std::set<std::string>> tables_;
};

}  // namespace consentry
