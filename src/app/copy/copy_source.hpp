// The SQLite database that is copied.
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

// Opened for reading, at one moment: what others commit later is not seen. Throws std::runtime_error, also later,
// naming the file and what is wrong with it. Used by one thread.
class CopySource {
public:
    // The file must be a database of Consentry's whose schema has exactly this version.
    CopySource(std::filesystem::path file, std::int64_t version);

    // The columns of each table, without the account of migrations.
    const std::map<std::string, std::set<std::string>>& tables() const { return tables_; }
    std::int64_t count(const CopiedTable& table) const;
    // Each row in one call, read as it is asked for. Throws as well where a value does not fit its column, naming
    // table, row and column and never the value.
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
