// Many rows, a portion at a time, and the texts of statements that take any number of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "storage/database.hpp"

namespace consentry::storage {

// Executes a statement until it finds fewer rows than a portion has; its last parameter is the LIMIT. In portions, so
// that no other write waits long behind one. `sql` outlives the call.
template <std::int64_t Portion = 1'000, class... Args>
awaitable<void> execute_in_portions(Database& database, std::string_view sql, Args... args) {
    for (;;) {
        const auto rows = co_await database.execute(sql, args..., Portion);
        if (rows.affected() < Portion) co_return;
    }
}

// "$1, $2, ...", from a number on.
inline std::string parameters(std::size_t from, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out.append(i == 0 ? "$" : ", $").append(std::to_string(from + i));
    return out;
}

}  // namespace consentry::storage
