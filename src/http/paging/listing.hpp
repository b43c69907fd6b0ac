// How a feature declares a list, in its dto.hpp:
//
//     struct RoleListing {
//         std::optional<std::vector<RoleType>> type;
//         static constexpr auto paging = http::Paging::offset;
//         static constexpr auto filters() {
//             return std::tuple{http::filter("type", &RoleListing::type, "r.type", "Only roles of these types")};
//         }
//         static constexpr std::array sortable{http::Sortable{"createdAt", "r.created_at"}};
//         static constexpr std::array searchable{http::Searchable{"name", "r.name"}};
//         static constexpr std::string_view id_column = "r.id";               // default: "id"
//         static constexpr std::string_view default_column = "r.created_at";  // default: "created_at"; newest first
//         static constexpr std::size_t order_terms = 2;                       // per request; default: 3
//         static constexpr bool large = true;  // the source is large; see storage/list_sql.hpp
//     };
//
// Everything except `paging` is optional. The left-hand strings are wire names, the right-hand ones are SQL of the
// repository's SELECT. A filter is a std::optional of a vector of an enum (comma-separated values), an enum, bool, an
// Id, std::string, or TimePoint.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <tuple>

#include "base/list_query.hpp"
#include "http/schema/fields.hpp"

namespace consentry::http {

// By page number, or by a cursor that each page returns for the next one. Fixed for each list.
enum class Paging { offset, cursor };

inline constexpr std::int64_t per_page_default = 20;
inline constexpr std::int64_t per_page_max = 100;
inline constexpr std::int64_t page_max = 20;
inline constexpr std::size_t search_length_max = 100;
inline constexpr std::size_t order_terms_max = 3;

enum class SortedAs { number, text };

struct Sortable {
    std::string_view name;
    std::string_view column;  // never NULL
    SortedAs as = SortedAs::number;
};
// Columns of email addresses hold their canonical spelling (decision 26).
enum class SearchedAs { text, email };

struct Searchable {
    std::string_view name;
    std::string_view column;
    SearchedAs as = SearchedAs::text;
};

template <class L, class T>
struct Filter {
    std::string_view name;
    std::optional<T> L::* member;
    std::string_view expression;
    std::string_view description;
    ListCondition::Comparison comparison;
};
template <class L, class T>
constexpr Filter<L, T> filter(std::string_view name, std::optional<T> L::* member, std::string_view expression,
                              std::string_view description,
                              ListCondition::Comparison comparison = ListCondition::Comparison::one_of) {
    return {name, member, expression, description, comparison};
}

template <class L>
concept ListingType = requires { requires std::is_same_v<std::remove_cvref_t<decltype(L::paging)>, Paging>; };

// A list declaration, type-erased for the code common to all lists.
struct ListShape {
    Paging paging;
    std::span<const Sortable> sortable;
    std::span<const Searchable> searchable;
    std::span<const std::string_view> filters;
    std::string_view id_column;
    std::string_view default_column;
    std::size_t order_terms = order_terms_max;
    bool large = false;
};

namespace detail {

template <ListingType L>
constexpr auto filters_of() {
    if constexpr (requires { L::filters(); })
        return L::filters();
    else
        return std::tuple{};
}
template <ListingType L>
inline constexpr auto filter_names =
    std::apply([](const auto&... f) { return std::array<std::string_view, sizeof...(f)>{f.name...}; }, filters_of<L>());

template <ListingType L>
constexpr ListShape make_shape() {
    ListShape out{L::paging, {}, {}, filter_names<L>, "id", "created_at"};
    if constexpr (requires { L::sortable; }) out.sortable = L::sortable;
    if constexpr (requires { L::searchable; }) out.searchable = L::searchable;
    if constexpr (requires { L::id_column; }) out.id_column = L::id_column;
    if constexpr (requires { L::default_column; }) out.default_column = L::default_column;
    if constexpr (requires { L::order_terms; }) out.order_terms = L::order_terms;
    if constexpr (requires { L::large; }) out.large = L::large;
    return out;
}

// Returns how many distinct SELECT texts a list can produce: each combination of filters and search with each order. On
// a large source, ordering by several fields counts as a search, whose statements are not kept prepared.
constexpr std::size_t statements_of(const ListShape& shape) {
    std::size_t orders = 1;
    std::size_t of_this_length = 1;
    const std::size_t terms_max = shape.large ? 1 : shape.order_terms;
    for (std::size_t terms = 0; terms < terms_max && terms < shape.sortable.size(); ++terms) {
        of_this_length *= 2 * (shape.sortable.size() - terms);
        orders += of_this_length;
    }
    const std::size_t first_and_next = shape.paging == Paging::cursor ? 2 : 1;
    return (orders * first_and_next) << (shape.filters.size() + (shape.searchable.empty() ? 0 : 1));
}
constexpr bool sorts_by_numbers(const ListShape& shape) {
    for (const Sortable& sortable : shape.sortable)
        if (sortable.as != SortedAs::number) return false;
    return true;
}

}  // namespace detail

template <ListingType L>
inline constexpr ListShape list_shape = [] {
    constexpr ListShape shape = detail::make_shape<L>();
    // Engines keep a few hundred prepared statements; a single list must not take up most of them.
    static_assert(detail::statements_of(shape) <= 256, "fewer filters or fields to sort by");
    static_assert(shape.paging == Paging::offset || detail::sorts_by_numbers(shape),
                  "a cursor of at most 256 characters holds numbers only");
    return shape;
}();

}  // namespace consentry::http
