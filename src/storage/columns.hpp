// Maps a row to a struct through one table of columns, which yields both the SELECT list and the row's reader:
//
//     constexpr auto user_columns = columns<User>(
//         column<"u.id", &User::id>,
//         column<"u.deleted_at", &User::deleted, is_set>,  // is_set(row, place)
//         column<"u.tags", &User::tags, to_tags>,          // to_tags(const std::string&), from the stored text
//         part<&User::lock, lock_columns>,                 // a struct with columns of its own
//         unread<"u.note">);                               // selected, but not read
//
//     const auto rows = co_await database.query(sql<"SELECT ", user_columns, " FROM users u WHERE u.id = $1">, id);
//     co_return user_columns.read_first(rows);
//
// The type of the member, or of the conversion function's parameter, decides how a column is read (ColumnValue). An
// optional part is absent if all of its columns are NULL. Columns keep the order of the table; further columns of a row
// are ignored.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "storage/database.hpp"
#include "storage/sql.hpp"

namespace consentry::storage {

// Reads one type. For enums, see features/users/stored.hpp.
template <class T>
struct ColumnValue;

template <>
struct ColumnValue<bool> {
    static bool read(const Row& row, std::size_t at) { return row.boolean(at); }
};
template <>
struct ColumnValue<std::int64_t> {
    static std::int64_t read(const Row& row, std::size_t at) { return row.integer(at); }
};
template <>
struct ColumnValue<std::string> {
    static const std::string& read(const Row& row, std::size_t at) { return row.text(at); }
};
template <>
struct ColumnValue<Bytes> {
    static const Bytes& read(const Row& row, std::size_t at) { return row.bytes(at); }
};
template <>
struct ColumnValue<TimePoint> {
    static TimePoint read(const Row& row, std::size_t at) { return row.time(at); }
};
template <class Tag>
struct ColumnValue<Id<Tag>> {
    static Id<Tag> read(const Row& row, std::size_t at) { return row.id<Id<Tag>>(at); }
};
template <class T>
struct ColumnValue<std::optional<T>> {
    static std::optional<T> read(const Row& row, std::size_t at) {
        if (row.is_null(at)) return std::nullopt;
        return ColumnValue<T>::read(row, at);
    }
};

// For members that only record whether a value is present.
inline bool is_set(const Row& row, std::size_t at) { return !row.is_null(at); }

namespace detail {

template <class>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class Out, class Stored>
Out read_by(Out (*convert)(Stored), const Row& row, std::size_t at) {
    return convert(ColumnValue<std::remove_cvref_t<Stored>>::read(row, at));
}
template <class Out>
Out read_by(Out (*convert)(const Row&, std::size_t), const Row& row, std::size_t at) {
    return convert(row, at);
}

template <Text text, auto member, auto convert>
struct Column {
    static constexpr auto sql_text = text;
    static constexpr std::size_t width = 1;

    template <class T>
    static void read(const Row& row, std::size_t at, T& out) {
        if constexpr (std::is_null_pointer_v<decltype(convert)>)
            out.*member = ColumnValue<std::remove_cvref_t<decltype(out.*member)>>::read(row, at);
        else
            out.*member = read_by(convert, row, at);
    }
};

template <Text text>
struct Unread {
    static constexpr auto sql_text = text;
    static constexpr std::size_t width = 1;

    template <class T>
    static void read(const Row&, std::size_t, T&) {}
};

template <auto member, auto inner>
struct Part {
    static constexpr auto sql_text = inner.sql_text;
    static constexpr std::size_t width = inner.width;

    template <class T>
    static void read(const Row& row, std::size_t at, T& out) {
        if constexpr (IsOptional<std::remove_cvref_t<decltype(out.*member)>>::value) {
            bool any = false;
            for (std::size_t i = 0; i < width; ++i) any = any || !row.is_null(at + i);
            if (!any) return;
        }
        out.*member = inner.read_from(row, at);
    }
};

template <class First, class... Rest>
consteval auto comma_separated() {
    if constexpr (sizeof...(Rest) == 0)
        return First::sql_text;
    else
        return First::sql_text + ", " + comma_separated<Rest...>();
}

template <class T, class... Parts>
struct Columns {
    // For sql<...>.
    static constexpr auto sql_text = comma_separated<Parts...>();
    static constexpr std::size_t width = (Parts::width + ...);

    // For ListSource::columns.
    static constexpr std::string_view list() { return sql<sql_text>; }

    static T read(const Row& row) { return read_from(row, 0); }
    static T read_from(const Row& row, std::size_t first) {
        T out{};
        (Parts::read(row, std::exchange(first, first + Parts::width), out), ...);
        return out;
    }
    static std::optional<T> read_first(const Rows& rows) {
        if (rows.empty()) return std::nullopt;
        return read(rows[0]);
    }
    static std::vector<T> read_all(const Rows& rows) {
        std::vector<T> out;
        out.reserve(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(read(rows[i]));
        return out;
    }
};

}  // namespace detail

template <Text text, auto member, auto convert = nullptr>
inline constexpr detail::Column<text, member, convert> column;
template <auto member, auto inner>
inline constexpr detail::Part<member, inner> part;
template <Text text>
inline constexpr detail::Unread<text> unread;

template <class T, class... Parts>
consteval detail::Columns<T, Parts...> columns(Parts...) {
    return {};
}

}  // namespace consentry::storage
