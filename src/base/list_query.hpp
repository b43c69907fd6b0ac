// The request for a list and its result, as exchanged between the side that reads requests (http/paging) and the side
// that writes SQL (storage/list_sql); neither side depends on the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/uuid.hpp"

namespace consentry {

using ListValue = std::variant<bool, std::int64_t, std::string, Uuid>;

// Expressions are SQL constants of the features; client input is only ever bound as a value.
struct ListCondition {
    enum class Comparison { one_of, at_least, below };
    std::string_view expression;
    Comparison comparison = Comparison::one_of;
    std::vector<ListValue> values;
    std::size_t values_max = 1;  // for one_of: placeholders in the statement, so that one SQL text serves any number
};

struct ListOrder {
    std::string_view expression;  // never NULL
    bool descending = false;
    bool operator==(const ListOrder&) const = default;
};

// A row's position in the order of a cursor list: the next page starts after it.
struct ListPosition {
    std::vector<std::int64_t> values;  // one per ListOrder
    Uuid id;
    bool operator==(const ListPosition&) const = default;
};

struct ListQuery {
    std::vector<ListCondition> conditions;  // combined with AND
    std::string search;                     // empty: no search
    std::vector<std::string_view> search_expressions;
    // The id is always the final tie-breaker, in the direction of the last entry, so the order is total.
    std::vector<ListOrder> order;
    std::string_view id_expression = "id";
    std::int64_t limit = 20;
    bool by_cursor = false;
    std::optional<ListPosition> after;  // by cursor
    std::int64_t offset = 0;            // by page number
};

// Matches are counted up to this limit. Items beyond it cannot be reached by page number anyway, and the cost of
// counting them would grow with the table.
inline constexpr std::int64_t list_count_max = 10'000;

template <class T>
struct ListSlice {
    std::vector<T> items;
    bool has_more = false;
    std::optional<std::int64_t> count;  // by page number: at most list_count_max
    std::optional<ListPosition> end;    // by cursor, if there is more: the position of the last item
};

}  // namespace consentry
