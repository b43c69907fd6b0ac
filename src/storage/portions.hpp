// Statements over many rows in batches, and placeholder lists for a variable number of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "storage/database.hpp"

namespace consentry::storage {

// Executes a statement until it affects fewer rows than the batch size; its last parameter is the LIMIT. Batches keep
// other writes from waiting long behind one statement. `sql` must outlive the call.
template <std::int64_t Portion = 1'000, class... Args>
awaitable<void> execute_in_portions(Database& database, std::string_view sql, Args... args) {
    for (;;) {
        const auto rows = co_await database.execute(sql, args..., Portion);
        if (rows.affected() < Portion) co_return;
    }
}

// Returns "$1, $2, ...", starting at $from.
inline std::string parameters(std::size_t from, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out.append(i == 0 ? "$" : ", $").append(std::to_string(from + i));
    return out;
}

}  // namespace consentry::storage
