// The numbered files of migrations/, embedded. Engines apply them in order, each in one transaction, and
// remember which are done; they only go forward.
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

// Parsed from the embedded files. Statements end with ';' at the end of a line.
// Throws std::runtime_error where the numbers leave a gap.
const std::vector<Migration>& migrations();

// Whether an engine is to carry out the statement: not where a comment in front of it says "Only for" another one.
bool is_for(std::string_view statement, std::string_view engine);

// The parser behind it: files in any order, "<number>_<name>.sql". A line that is a comment ends no statement.
// Throws std::runtime_error, naming the file, where the numbers do not run 1, 2, 3 ... or the last statement has
// no end. The result refers into the files.
std::vector<Migration> parse_migrations(std::span<const EmbeddedFile> files);

}  // namespace consentry::storage
