// The SQL of lists: filters, search, order, and one page by number or behind a cursor. A repository brings its own
// columns and table:
//
//     return storage::select_list(database_,
//                                 {.columns = role_columns.list(), .from = "roles WHERE deleted_at IS NULL"},
//                                 std::move(query), role_columns.read);
//
// Texts are put together from the constants of features and $n alone, and from few enough choices that the engines
// can keep them prepared.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/list_query.hpp"
#include "storage/database.hpp"

namespace consentry::storage {

struct ListSource {
    std::string_view columns;  // as the reader expects them
    // Table, joins and a WHERE of its own, which more conditions are joined to by AND. Its parameters are $1 ... $n.
    std::string_view from;
    // Its table grows without end. Conditions, searches and orders of several fields, for which no index is made, are
    // kept apart from other calls; pages by number find their ids first and read no other row, for which each order of
    // one field wants an index that holds what `from` looks at.
    bool large = false;
    // For the count, where other words for the same rows are quicker; of the same parameters.
    std::string_view counted_from = {};
};

struct ListStatement {
    std::string sql;
    Params params;
};
// One row more than asked for, which tells that there are more. By cursor, the order's expressions and the id follow
// the source's columns.
ListStatement list_statement(const ListSource& source, const ListQuery& query, Params own);
ListStatement count_statement(const ListSource& source, const ListQuery& query, Params own);

namespace detail {

struct FoundRows {
    Rows rows;
    std::size_t size = 0;  // without the row too many
    bool has_more = false;
    std::optional<std::int64_t> count;
    std::optional<ListPosition> end;
};
awaitable<FoundRows> select_rows(Database& database, ListSource source, ListQuery query, Params own);

template <class T>
awaitable<ListSlice<T>> select_items(Database& database, ListSource source, ListQuery query, Params own,
                                     T (*read)(const Row&)) {
    FoundRows found = co_await select_rows(database, source, std::move(query), std::move(own));
    ListSlice<T> out{.items = {}, .has_more = found.has_more, .count = found.count, .end = std::move(found.end)};
    out.items.reserve(found.size);
    for (std::size_t i = 0; i < found.size; ++i) out.items.push_back(read(found.rows[i]));
    co_return out;
}

}  // namespace detail

// `source` and the query's expressions are constants of the program; `own` are the parameters of source.from.
template <class T, class... Args>
awaitable<ListSlice<T>> select_list(Database& database, ListSource source, ListQuery query, T (*read)(const Row&),
                                    const Args&... own) {
    return detail::select_items(database, source, std::move(query), bind_all(own...), read);
}

}  // namespace consentry::storage
