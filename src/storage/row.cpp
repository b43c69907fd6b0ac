#include <stdexcept>

#include <fmt/format.h>

#include "storage/database.hpp"

namespace consentry::storage {
namespace {

constexpr std::string_view type_name(const Value& value) {
    constexpr std::string_view names[] = {"NULL", "an integer", "a boolean", "a real", "text", "bytes", "a UUID"};
    return names[value.index()];
}

template <class T>
const T& as(const Value& value, std::size_t column, std::string_view wanted) {
    if (const T* held = std::get_if<T>(&value)) return *held;
    throw std::logic_error(fmt::format("column {} is {}, read as {}", column, type_name(value), wanted));
}

}  // namespace

const Value& Row::at(std::size_t column) const {
    if (column >= columns_) throw std::logic_error(fmt::format("column {} of a row of {}", column, columns_));
    return values_[column];
}

bool Row::is_null(std::size_t column) const { return std::holds_alternative<std::monostate>(at(column)); }

std::int64_t Row::integer(std::size_t column) const { return as<std::int64_t>(at(column), column, "an integer"); }

bool Row::boolean(std::size_t column) const {
    const Value& value = at(column);
    // SQLite stores booleans as 0 and 1.
    if (const auto* number = std::get_if<std::int64_t>(&value); number && (*number == 0 || *number == 1))
        return *number == 1;
    return as<bool>(value, column, "a boolean");
}

double Row::real(std::size_t column) const { return as<double>(at(column), column, "a real"); }

const std::string& Row::text(std::size_t column) const { return as<std::string>(at(column), column, "text"); }

const Bytes& Row::bytes(std::size_t column) const { return as<Bytes>(at(column), column, "bytes"); }

Uuid Row::uuid(std::size_t column) const {
    const Value& value = at(column);
    if (const auto* held = std::get_if<Uuid>(&value)) return *held;
    const auto uuid = Uuid::parse(as<std::string>(value, column, "a UUID"));
    if (!uuid) throw std::logic_error(fmt::format("column {} is text, but not a UUID", column));
    return *uuid;
}

std::optional<std::int64_t> Row::integer_or_null(std::size_t column) const {
    if (is_null(column)) return std::nullopt;
    return integer(column);
}

std::optional<std::string> Row::text_or_null(std::size_t column) const {
    if (is_null(column)) return std::nullopt;
    return text(column);
}

std::optional<TimePoint> Row::time_or_null(std::size_t column) const {
    if (is_null(column)) return std::nullopt;
    return time(column);
}

}  // namespace consentry::storage
