// Copies a whole database from SQLite to PostgreSQL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/config/config.hpp"

namespace consentry {

struct CopiedRows {
    std::string table;
    std::int64_t rows = 0;
};

// Copies a Consentry SQLite file into the PostgreSQL database of the settings. Brings the target's schema up to date
// first; the target's tables must be empty. The copy is atomic: everything is copied and compared, or nothing changes.
// The source file is only read, as a snapshot of one moment.
//
// Returns each table with its number of rows; messages for people go to standard error.
// Throws std::runtime_error, or Unavailable if the connection is lost. The target's tables are then still empty, unless
// the error text says that this is unknown.
std::vector<CopiedRows> copy_database(const std::filesystem::path& from, const Config& config);

}  // namespace consentry
