// What a list is asked for and what came of it: between the side that reads requests (http/paging) and the side that
// writes SQL (storage/list_sql), which do not know each other.
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

// Expressions are SQL that a feature wrote down as a constant; what a client sends becomes a value only.
struct ListCondition {
    enum class Comparison { one_of, at_least, below };
    std::string_view expression;
    Comparison comparison = Comparison::one_of;
    std::vector<ListValue> values;
    std::size_t values_max = 1;  // of one_of: its statement has room for so many, so that one text does for any number
};

struct ListOrder {
    std::string_view expression;  // never NULL
    bool descending = false;
    bool operator==(const ListOrder&) const = default;
};

// A row's place in the order of a cursor list: the next page begins behind it.
struct ListPosition {
    std::vector<std::int64_t> values;  // one for each ListOrder
    Uuid id;
    bool operator==(const ListPosition&) const = default;
};

struct ListQuery {
    std::vector<ListCondition> conditions;  // all of them hold
    std::string search;                     // empty: none
    std::vector<std::string_view> search_expressions;
    // The id is always the last to decide, in the direction of the last of these: no two rows are in the same place.
    std::vector<ListOrder> order;
    std::string_view id_expression = "id";
    std::int64_t limit = 20;
    bool by_cursor = false;
    std::optional<ListPosition> after;  // by cursor
    std::int64_t offset = 0;            // by page number
};

// Matches are counted up to here: what lies beyond cannot be reached by page number anyway, and counting it would cost
// the more the larger the table is.
inline constexpr std::int64_t list_count_max = 10'000;

template <class T>
struct ListSlice {
    std::vector<T> items;
    bool has_more = false;
    std::optional<std::int64_t> count;  // by page number: at most list_count_max
    std::optional<ListPosition> end;    // by cursor, where there is more: the place of the last item
};

}  // namespace consentry
