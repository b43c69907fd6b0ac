// What the reading and the writing side of a copy agree on. A table's rows travel in its columns' order, sorted by its
// key, in the binary form of PostgreSQL's COPY (its manual, "COPY", section "Binary Format").
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
    std::vector<std::size_t> key{};  // places in `columns`
};

// Keeps an account of its own which migrations were applied: never copied.
inline constexpr std::string_view migrations_table = "schema_migrations";

// Have rows from their migrations, hence in every database; accounts tell whether it was used. What came with the
// target makes room for what is copied.
inline constexpr std::array<std::string_view, 3> seeded_tables{"epochs", "feature_flags", "roles"};

// Takes a part of the stream; it is valid only during the call.
using CopySink = std::function<void(std::string_view)>;

// Parts of statements, in what both databases understand.
std::string sql_name(std::string_view name);
std::string sql_columns(const CopiedTable& table);
// The rows as they travel. `text_order`: the collation that compares bytes, which each database names differently.
std::string sql_rows_by_key(const CopiedTable& table, std::string_view text_order);

}  // namespace consentry
