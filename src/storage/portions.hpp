// Statements over many rows in batches, and placeholder lists for a variable number of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "storage/database.hpp"

namespace consentry::storage {

// Executes a statement until it affects fewer rows than the batch size; its last parameter is the LIMIT. Batches keep
// other writes from waiting long behind one statement. `sql` must outlive the call. If rows may change meanwhile, the
// statement repeats its condition outside the sub-select: PostgreSQL checks only that part again after it has waited
// for a row.
//   "DELETE FROM things WHERE used_at < $1 AND id IN (SELECT id FROM things WHERE used_at < $1 ORDER BY ... LIMIT $2)"
template <std::int64_t Portion = 1'000, class... Args>
awaitable<void> execute_in_portions(Database& database, std::string_view sql, Args... args) {
    for (;;) {
        const auto rows = co_await database.execute(sql, args..., Portion);
        if (rows.affected() < Portion) co_return;
    }
}

// Returns where a portion of the rows above `after` ends: at the id that `sql` selects, or at no row if fewer follow
// than make a portion. For reads that may find little among many rows: a LIMIT bounds what such a statement returns,
// not what it looks at, and a statement that looks at all rows at once exceeds the time limit of a statement, or
// occupies a thread.
//   "SELECT id FROM things WHERE id > $1 ORDER BY id LIMIT 1 OFFSET 999"
inline awaitable<Uuid> end_of_portion(Database& database, std::string_view sql, Uuid after) {
    const auto rows = co_await database.query(sql, after);
    co_return rows.empty() ? Uuid::greatest() : rows[0].uuid(0);
}

// Returns "$1, $2, ...", starting at $from.
inline std::string parameters(std::size_t from, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out.append(i == 0 ? "$" : ", $").append(std::to_string(from + i));
    return out;
}

}  // namespace consentry::storage
