// The format that the reading and the writing side of a copy share. A table's rows are transferred with their columns
// in the order of `columns`, sorted by key, in PostgreSQL's binary COPY format (manual, "COPY", section "Binary
// Format").
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace consentry {

// The types of the dialect (storage/database.hpp).
enum class ColumnType { boolean, bigint, double_precision, text, bytea, uuid };

struct CopiedColumn {
    std::string name;
    ColumnType type;
};

struct CopiedTable {
    std::string name;
    std::vector<CopiedColumn> columns{};
    std::vector<std::size_t> key{};  // indexes into `columns`
};

// Tables with rows from migrations, hence never empty; the account tables tell whether a database has been used.
// Copying replaces the target's rows.
inline constexpr std::array<std::string_view, 3> seeded_tables{"epochs", "feature_flags", "roles"};

// Receives a part of the stream; the view is valid only during the call.
using CopySink = std::function<void(std::string_view)>;

// SQL fragments that both databases understand.
std::string sql_name(std::string_view name);
std::string sql_columns(const CopiedTable& table);
// Selects the rows in transfer order. `text_order`: the collation that compares bytes; its name differs between the
// databases.
std::string sql_rows_by_key(const CopiedTable& table, std::string_view text_order);

}  // namespace consentry
