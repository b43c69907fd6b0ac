#include "app/copy/copy_schema.hpp"

#include <fmt/format.h>

namespace consentry {

std::string sql_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    return out + '"';
}

std::string sql_columns(const CopiedTable& table) {
    std::string out;
    for (const CopiedColumn& column : table.columns) out += (out.empty() ? "" : ", ") + sql_name(column.name);
    return out;
}

std::string sql_rows_by_key(const CopiedTable& table, std::string_view text_order) {
    std::string key;
    for (const std::size_t place : table.key) {
        const auto& [name, type] = table.columns[place];
        key += (key.empty() ? "" : ", ") + sql_name(name);
        if (type == ColumnType::text) key += fmt::format(" COLLATE {}", text_order);
    }
    return fmt::format("SELECT {} FROM {} ORDER BY {}", sql_columns(table), sql_name(table.name), key);
}

}  // namespace consentry
