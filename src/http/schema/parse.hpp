// Parses a DTO from JSON, a query or a path, and reports every violated rule.
//
// Values in a body are never coerced (INP-4). Queries and paths are text by nature; their numbers are whole decimal
// digits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/clock.hpp"
#include "base/numbers.hpp"
#include "base/report.hpp"
#include "base/uuid.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry::http {

namespace json = boost::json;

// One decoded name=value pair of a query, or one decoded placeholder of a path.
struct NamedText {
    std::string name;
    std::string value;
};

template <DtoType Dto>
void read_object(const json::object& object, Dto& out, const PropertyPath* outer, Report& report);

namespace detail {

template <class T>
constexpr std::string_view type_key() {
    if constexpr (std::is_same_v<T, std::string>)
        return "isString";
    else if constexpr (std::is_same_v<T, bool>)
        return "isBoolean";
    else if constexpr (std::is_integral_v<T>)
        return "isInt";
    else if constexpr (NamedEnum<T>)
        return "isEnum";
    else if constexpr (IsVector<T>::value)
        return "isArray";
    else if constexpr (DtoType<T> || std::is_same_v<T, json::object>)
        return "isObject";
    else if constexpr (std::is_same_v<T, TimePoint>)
        return "isIso8601";
    else
        return "isUuid";
}

template <class T>
json::object type_placeholders() {
    json::object out;
    if constexpr (NamedEnum<T>) {
        out["allowed"] = all_names<T>();
    }
    return out;
}

// Whether text is acceptable: no NUL, and valid UTF-8. Boost.JSON has already checked the UTF-8 of bodies.
inline bool is_clean(std::string_view text) { return text.find('\0') == std::string_view::npos; }

// A missing value, or one of the wrong type, violates the type rule; a missing one also violates isNotEmpty. Rules
// about the format of a text (an email) are reported as well, because they tell the client what is expected.
template <class T, class... Rules>
void report_absent(bool missing, const std::tuple<Rules...>& rules, const PropertyPath& path, Report& report) {
    const std::string property = path.text();
    if (missing) report.add("isNotEmpty", property);
    report.add(type_key<T>(), property, type_placeholders<T>());
    std::apply(
        [&](const auto&... rule) {
            const auto name_form = [&]<class Rule>(const Rule& r) {
                if constexpr (std::is_same_v<Rule, Email> || std::is_same_v<Rule, TwoFactorCode> ||
                              std::is_same_v<Rule, BackupCode> || std::is_same_v<Rule, StrongPassword>)
                    report.add(r.key, property, r.placeholders());
            };
            (name_form(rule), ...);
        },
        rules);
    // A list that could not be read is judged as an empty one: the client is told all that is expected of it.
    if constexpr (!IsVector<T>::value) report.set_unreadable();
}

template <class T, class... Rules>
constexpr bool has_rule(const std::tuple<Rules...>*) {
    return (std::is_same_v<T, Rules> || ...);
}

// Returns whether the value has the type of `out`, and stores it there.
template <class T>
bool read_scalar(const json::value& value, T& out) {
    const auto keep = [&](const auto& read) {
        if (read) out = *read;
        return static_cast<bool>(read);
    };
    if constexpr (std::is_same_v<T, bool>)
        return keep(value.if_bool());
    else if constexpr (std::is_integral_v<T>)
        return value.is_int64() && keep(std::optional(static_cast<T>(value.get_int64())));
    else if constexpr (std::is_same_v<T, json::object>)
        return keep(value.if_object());
    else if constexpr (std::is_same_v<T, TimePoint>)
        return value.is_string() && keep(from_iso8601(value.get_string()));
    else if constexpr (NamedEnum<T>)
        return value.is_string() && keep(find_enum<T>(value.get_string()));
    else
        return value.is_string() && keep(T::parse(value.get_string()));
}

template <class T, class... Rules>
void read_value(const json::value* value, T& out, const std::tuple<Rules...>& rules, const PropertyPath& property,
                Report& report) {
    if constexpr (IsOptional<T>::value) {
        if (value == nullptr) return;
        // An explicit null is not "absent" but a value of the wrong type (the specification validates null).
        typename T::value_type inner{};
        read_value(value, inner, rules, property, report);
        out = std::move(inner);
    } else if constexpr (DtoType<T>) {
        if (value == nullptr || !value->is_object())
            return report_absent<T>(value == nullptr || value->is_null(), rules, property, report);
        read_object(value->get_object(), out, &property, report);
    } else if constexpr (IsVector<T>::value) {
        if (value == nullptr || !value->is_array())
            return report_absent<T>(value == nullptr || value->is_null(), rules, property, report);
        std::size_t index = 0;
        for (const json::value& element : value->get_array()) {
            const std::string position = std::to_string(index++);
            out.emplace_back();
            read_value(&element, out.back(), std::tuple<>{}, PropertyPath(position, &property), report);
        }
        check_rules(out, rules, property, report);
    } else {
        const bool missing = value == nullptr || value->is_null();
        if constexpr (std::is_same_v<T, std::string>) {
            if (!missing && value->is_string() && is_clean(value->get_string())) {
                out = std::string(value->get_string());
                if constexpr (has_rule<Email>(static_cast<const std::tuple<Rules...>*>(nullptr)))
                    if (auto canonical = canonical_email(out)) out = std::move(*canonical);
                check_rules(out, rules, property, report);
                if constexpr (has_rule<Lowered>(static_cast<const std::tuple<Rules...>*>(nullptr)))
                    out = to_lower_ascii(out);
                return;
            }
        } else if (!missing && read_scalar(*value, out)) {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) check_rules(out, rules, property, report);
            return;
        }
        report_absent<T>(missing, rules, property, report);
    }
}

// The counterpart of read_value() for text.
template <class T, class... Rules>
void read_text(const std::string* text, T& out, const std::tuple<Rules...>& rules, const PropertyPath& property,
               Report& report) {
    if constexpr (IsOptional<T>::value) {
        if (text == nullptr) return;
        typename T::value_type inner{};
        read_text(text, inner, rules, property, report);
        out = std::move(inner);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        const auto number = text == nullptr || text->starts_with('-') ? std::nullopt : parse_number<T>(*text);
        if (number) {
            out = *number;
            return check_rules(out, rules, property, report);
        }
        report_absent<T>(text == nullptr, rules, property, report);
    } else if constexpr (std::is_same_v<T, bool>) {
        if (text != nullptr && (*text == "true" || *text == "false")) {
            out = *text == "true";
            return;
        }
        report_absent<T>(text == nullptr, rules, property, report);
    } else {
        if (text == nullptr) return report_absent<T>(true, rules, property, report);
        const json::value as_json(*text);
        read_value(&as_json, out, rules, property, report);
    }
}

template <class Dto>
bool is_field(std::string_view name) {
    return std::apply([&](const auto&... f) { return ((f.name == name) || ...); }, fields_of<Dto>);
}

template <class Dto>
void check_whole(const Dto& dto, Report& report) {
    if constexpr (requires { Dto::check(dto, report); }) Dto::check(dto, report);
}

}  // namespace detail

template <DtoType Dto>
void read_object(const json::object& object, Dto& out, const PropertyPath* outer, Report& report) {
    std::apply(
        [&](const auto&... f) {
            (detail::read_value(object.if_contains(f.name), out.*(f.member), f.rules, PropertyPath(f.name, outer),
                                report),
             ...);
        },
        fields_of<Dto>);
    for (const auto& member : object)
        if (!detail::is_field<Dto>(member.key())) report.add_unknown(member.key(), outer);
    detail::check_whole(out, report);
}

// Rejects unknown and repeated names (INP-4).
template <DtoType Dto>
void read_texts(std::span<const NamedText> texts, Dto& out, Report& report) {
    const auto find = [&](std::string_view name) -> const std::string* {
        const std::string* found = nullptr;
        for (const NamedText& text : texts) {
            if (text.name != name) continue;
            if (found != nullptr) report.add("isUnique", name);
            found = &text.value;
        }
        return found;
    };
    std::apply(
        [&](const auto&... f) {
            (detail::read_text(find(f.name), out.*(f.member), f.rules, PropertyPath(f.name), report), ...);
        },
        fields_of<Dto>);
    for (const NamedText& text : texts)
        if (!detail::is_field<Dto>(text.name)) report.add_unknown(text.name);
    detail::check_whole(out, report);
}

}  // namespace consentry::http
