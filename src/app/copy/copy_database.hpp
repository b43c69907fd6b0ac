// A whole database from SQLite to PostgreSQL.
#pragma once

#include <filesystem>

#include "app/config/config.hpp"

namespace consentry {

// Copies a file of Consentry's into the PostgreSQL database of the settings, whose schema is brought up to date and
// whose tables must be empty: all of it and compared, or nothing. The file is only read, as it is at one moment.
//
// Prints each table and its number of rows to standard output when all is done, and words for people to standard error.
// Throws std::runtime_error, and Unavailable where the connection is lost; then the tables are as empty as before,
// unless the text says that this is not known.
void copy_database(const std::filesystem::path& from, const Config& config);

}  // namespace consentry
