// Serializes a DTO directly into the answer's body, without an intermediate JSON tree.
#pragma once

#include <charconv>
#include <limits>
#include <string>

#include <boost/json/serialize.hpp>

#include "base/strict_json.hpp"
#include "base/uuid.hpp"
#include "http/schema/fields.hpp"

namespace consentry::http {

template <class T>
void write_json(std::string& out, const T& value) {
    if constexpr (DtoType<T>) {
        out.push_back('{');
        bool first = true;
        const auto member = [&](const auto& f) {
            const auto& inner = value.*(f.member);
            if constexpr (IsOptional<std::remove_cvref_t<decltype(inner)>>::value) {
                if (!inner) return;  // absent, not null
            }
            if (!first) out.push_back(',');
            first = false;
            out.push_back('"');
            out.append(f.name);
            out.append("\":");
            write_json(out, inner);
        };
        std::apply([&](const auto&... f) { (member(f), ...); }, fields_of<T>);
        out.push_back('}');
    } else if constexpr (IsOptional<T>::value) {
        if (value)
            write_json(out, *value);
        else
            out.append("null");
    } else if constexpr (IsNullable<T>::value) {
        write_json(out, value.value);
    } else if constexpr (IsVector<T>::value) {
        out.push_back('[');
        bool first = true;
        for (const auto& element : value) {
            if (!first) out.push_back(',');
            first = false;
            write_json(out, element);
        }
        out.push_back(']');
    } else if constexpr (std::is_same_v<T, bool>) {
        out.append(value ? "true" : "false");
    } else if constexpr (std::is_integral_v<T>) {
        char digits[std::numeric_limits<T>::digits10 + 2];  // with the last digit and the sign
        out.append(digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr);
    } else if constexpr (NamedEnum<T>) {
        append_json_string(out, consentry::name_of(value));
    } else if constexpr (std::is_same_v<T, TimePoint>) {
        append_json_string(out, to_iso8601(value));
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
        append_json_string(out, value);
    } else if constexpr (std::is_same_v<T, boost::json::object> || std::is_same_v<T, boost::json::value>) {
        out.append(boost::json::serialize(value));
    } else {
        append_json_string(out, value.text());
    }
}

}  // namespace consentry::http
