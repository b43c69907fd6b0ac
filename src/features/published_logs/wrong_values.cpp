#include "features/published_logs/wrong_values.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "base/uuid.hpp"

namespace consentry {
namespace {

bool has_type(const storage::Row& row, std::size_t column, ValueType type) {
    if (row.is_null(column)) return true;  // whether it may be null is for the comparison
    try {
        switch (type) {
            case ValueType::integer:
                row.integer(column);
                break;
            case ValueType::text:
                row.text(column);
                break;
            case ValueType::bytes:
                row.bytes(column);
                break;
            case ValueType::uuid:
                row.uuid(column);
        }
        return true;
    } catch (const std::logic_error&) {
        return false;
    }
}

}  // namespace

awaitable<std::vector<WrongValue>> find_wrong_values(storage::Database& database, std::span<const TypedTable> tables) {
    constexpr std::int64_t at_once = 500;
    std::vector<WrongValue> out;
    for (const TypedTable& table : tables)
        for (Uuid after;;) {
            const auto rows = co_await database.query(table.select, after, at_once);
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t column = 0; column < table.columns.size(); ++column)
                    if (!has_type(rows[i], column + 1, table.columns[column].type))
                        out.push_back({table.name, rows[i].text(0), table.columns[column].name});
            const auto last = rows.empty() ? std::nullopt : Uuid::parse(rows[rows.size() - 1].text(0));
            if (static_cast<std::int64_t>(rows.size()) < at_once || !last) break;
            after = *last;
        }
    co_return out;
}

}  // namespace consentry
