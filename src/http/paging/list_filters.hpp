// The kinds of filters: convert the query text to a typed value, to the values of an SQL condition, and to the echo in
// the answer.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/list_query.hpp"
#include "base/text.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/describe.hpp"
#include "http/schema/fields.hpp"

namespace consentry::http::detail {

inline constexpr std::size_t filter_text_max = 200;

template <class T>
struct UnderstoodFilter {
    T value;
    ListCondition condition;
    boost::json::value echo;
};

// Reads a set of enum values, without duplicates and in declaration order, so that each selection has one spelling.
template <NamedEnum Enum>
std::optional<std::vector<Enum>> read_set(std::string_view text) {
    std::vector<bool> chosen(EnumNames<Enum>::names.size());
    for (const std::string_view name : split(text, ',')) {
        const auto found =
            std::ranges::find(EnumNames<Enum>::names, trim(name), [](const auto& entry) { return entry.second; });
        if (found == EnumNames<Enum>::names.end()) return std::nullopt;
        chosen[static_cast<std::size_t>(found - EnumNames<Enum>::names.begin())] = true;
    }
    std::vector<Enum> out;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i]) out.push_back(EnumNames<Enum>::names[i].first);
    return out;
}

// `text` is trimmed and not empty. Returns nullopt for filterInvalidValue.
template <class T>
std::optional<UnderstoodFilter<T>> read_filter(std::string_view text) {
    UnderstoodFilter<T> out{};
    if constexpr (IsVector<T>::value) {
        using Enum = T::value_type;
        auto values = read_set<Enum>(text);
        if (!values) return std::nullopt;
        boost::json::array echo;
        for (const Enum value : *values) {
            out.condition.values.emplace_back(std::string(consentry::name_of(value)));
            echo.emplace_back(consentry::name_of(value));
        }
        out.condition.values_max = EnumNames<Enum>::names.size();
        out.echo = std::move(echo);
        out.value = std::move(*values);
        return out;
    } else if constexpr (NamedEnum<T>) {
        const auto value = find_enum<T>(text);
        if (!value) return std::nullopt;
        out.value = *value;
        out.condition.values.emplace_back(std::string(text));
        out.echo = text;
        return out;
    } else if constexpr (std::is_same_v<T, bool>) {
        if (text != "true" && text != "false") return std::nullopt;
        out.value = text == "true";
        out.condition.values.emplace_back(out.value);
        out.echo = out.value;
        return out;
    } else if constexpr (std::is_same_v<T, TimePoint>) {
        const auto time = from_iso8601(text);
        if (!time) return std::nullopt;
        out.value = *time;
        out.condition.values.emplace_back(epoch_ms(*time));
        out.echo = to_iso8601(*time);
        return out;
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (text.contains('\0') || code_points(text).value_or(0) > filter_text_max) return std::nullopt;
        out.value = text;
        out.condition.values.emplace_back(out.value);
        out.echo = text;
        return out;
    } else {
        const auto id = T::parse(text);
        if (!id) return std::nullopt;
        out.value = *id;
        out.condition.values.emplace_back(id->uuid());
        out.echo = id->text();
        return out;
    }
}

// The values of a filter that has few: "active, inactive, blocked". Otherwise empty.
template <class T>
std::string values_of_filter() {
    if constexpr (std::is_same_v<T, bool>) return "true, false";
    std::string out;
    const auto list = [&](const auto& names) {
        for (const auto& [value, name] : names) out.append(out.empty() ? "" : ", ").append(name);
    };
    if constexpr (IsVector<T>::value)
        list(EnumNames<typename T::value_type>::names);
    else if constexpr (NamedEnum<T>)
        list(EnumNames<T>::names);
    return out;
}

// The refusal of a text that read_filter() does not understand.
template <class T>
std::unexpected<Error> filter_refused(std::string_view name) {
    std::string values = values_of_filter<T>();
    if (values.empty()) return fail(errors::filter_invalid_value, {{"filter", name}});
    boost::json::object data{{"filter", name}, {"values", std::move(values)}};
    return fail(
        Error{errors::filter_invalid_value, std::move(data)}.with_message("pagination.error.filterInvalidValueEnum"));
}

// Reads the text of a filter of a list. Returns nothing if it is blank, which ignores the filter.
template <class L, class T>
Result<std::optional<UnderstoodFilter<T>>> understand(const Filter<L, T>& filter, std::string_view text) {
    text = trim(text);
    if (text.empty()) return std::nullopt;
    auto out = read_filter<T>(text);
    if (!out) return filter_refused<T>(filter.name);
    out->condition.expression = filter.expression;
    out->condition.comparison = filter.comparison;
    return out;
}

template <class T>
boost::json::object describe_filter(std::string_view description, Components& components) {
    boost::json::object out;
    if constexpr (IsVector<T>::value) {
        std::string any;
        for (const auto& [value, name] : EnumNames<typename T::value_type>::names)
            any.append(any.empty() ? "" : "|").append(name);
        out = {{"type", "string"}, {"pattern", "^(" + any + ")(,(" + any + "))*$"}};
    } else {
        out = describe<T>(components);
        if constexpr (std::is_same_v<T, std::string>) out["maxLength"] = filter_text_max;
    }
    out["description"] = description;
    return out;
}

}  // namespace consentry::http::detail
