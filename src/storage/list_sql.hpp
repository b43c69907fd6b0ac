// The SQL of lists: filters, search, order, and one page by number or cursor. A repository supplies its columns and
// table:
//
//     return storage::select_list(database_,
//                                 {.columns = role_columns.list(), .from = "roles WHERE deleted_at IS NULL"},
//                                 std::move(query), role_columns.read);
//
// Statement texts consist only of feature constants and $n, and have few enough variants that the engines can keep them
// prepared.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/list_query.hpp"
#include "storage/database.hpp"

namespace consentry::storage {

struct ListSource {
    std::string_view columns;  // in the order the reader expects
    // Table, joins and its own WHERE, to which further conditions are added with AND. Its parameters are $1 ... $n.
    std::string_view from;
    // The table grows without bound. Conditions, searches and orders over several fields have no index, so they run as
    // searches, apart from other calls. Pages by number find their ids first and read no other row; each single-field
    // order therefore needs an index that covers the columns which `from` tests.
    bool large = false;
    // An equivalent FROM clause for the count, if another form is faster. Takes the same parameters.
    std::string_view counted_from = {};
};

struct ListStatement {
    std::string sql;
    Params params;
};
// Selects one row more than requested, which reveals whether there are more. With a cursor, the order's expressions and
// the id follow the source's columns.
ListStatement list_statement(const ListSource& source, const ListQuery& query, Params own);
ListStatement count_statement(const ListSource& source, const ListQuery& query, Params own);

namespace detail {

struct FoundRows {
    Rows rows;
    std::size_t size = 0;  // without the extra row
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

// `source` and the query's expressions must be program constants; `own` holds the parameters of source.from.
template <class T, class... Args>
awaitable<ListSlice<T>> select_list(Database& database, ListSource source, ListQuery query, T (*read)(const Row&),
                                    const Args&... own) {
    return detail::select_items(database, source, std::move(query), bind_all(own...), read);
}

}  // namespace consentry::storage
