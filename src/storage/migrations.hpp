// The numbered files of migrations/, embedded. Engines apply them in order, each in its own transaction, and record
// which are applied. There are no down migrations.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/embedded.hpp"

namespace consentry::storage {

struct Migration {
    int number;             // 1, 2, 3 ... without a gap
    std::string_view name;  // "0001_users.sql"
    std::vector<std::string_view> statements;
};

// Parsed from the embedded files. A statement ends with ';' at the end of a line. Throws std::runtime_error if the
// numbers leave a gap.
const std::vector<Migration>& migrations();

// Returns whether the engine runs the statement: false if a leading comment says "Only for" another engine.
bool is_for(std::string_view statement, std::string_view engine);

// The names of the tables that the migrations create for the engine, in their order.
std::vector<std::string_view> created_tables(std::span<const Migration> migrations, std::string_view engine);

// The underlying parser. Takes files named "<number>_<name>.sql" in any order. A comment line does not end a statement.
// Throws std::runtime_error that names the file if the numbers do not run 1, 2, 3 ... or the last statement is
// unterminated. The result refers to the files, which must outlive it.
std::vector<Migration> parse_migrations(std::span<const EmbeddedFile> files);

}  // namespace consentry::storage
