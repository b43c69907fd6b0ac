// Values of a type that no statement of the service writes. SQLite stores them all the same, and the reader of a row
// refuses them: an attacker with write access to the database could otherwise keep a comparison from naming anything.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

enum class ValueType { integer, text, bytes, uuid };
struct TypedColumn {
    std::string_view name;
    ValueType type;
};
struct TypedTable {
    const char* name;
    // The ID as a text, then the columns, of up to $2 rows with an ID above $1, in the order of their IDs.
    std::string_view select;
    std::vector<TypedColumn> columns;
};

struct WrongValue {
    const char* table = nullptr;
    std::string id;
    std::string_view column;
};

// The tables must outlive the coroutine.
awaitable<std::vector<WrongValue>> find_wrong_values(storage::Database& database, std::span<const TypedTable> tables);

// Runs the steps of a comparison in turn. A step that meets such a value ends, and the next ones go on. Returns what
// the reader of the last one said; empty: there was none. The comparison must outlive the coroutine.
template <class Comparison>
awaitable<std::string> run_steps(Comparison& comparison, std::vector<awaitable<void> (Comparison::*)()> steps) {
    std::string failure;
    for (const auto step : steps) {
        try {
            co_await (comparison.*step)();
        } catch (const std::logic_error& error) {
            failure = error.what();
        }
    }
    co_return failure;
}

}  // namespace consentry
