// The numbered files of migrations/, embedded. Engines apply them in order, each in one transaction, and
// remember which are done; they only go forward.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace consentry::storage {

struct Migration {
    int number;              // 1, 2, 3 ... without a gap
    std::string_view name;   // "0001_users.sql"
    std::vector<std::string_view> statements;
};

// Parsed from the embedded files. Statements end with ';' at the end of a line.
// Throws std::runtime_error where the numbers leave a gap.
const std::vector<Migration>& migrations();

}  // namespace consentry::storage
