// Values of JSON that may be missing.
#pragma once

#include <optional>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace consentry {

// null if there is no value.
template <class T>
boost::json::value json_or_null(const std::optional<T>& value) {
    return value ? boost::json::value(*value) : boost::json::value();
}

// nullopt if the member is missing or no string. Views the object.
inline std::optional<std::string_view> text_member(const boost::json::object& object, std::string_view name) {
    const boost::json::value* member = object.if_contains(name);
    if (member == nullptr || !member->is_string()) return std::nullopt;
    return std::string_view(member->get_string());
}
// The same for callers to whom what is missing is empty.
inline std::string_view text_or_empty(const boost::json::object& object, std::string_view name) {
    return text_member(object, name).value_or("");
}

// nullptr if the member is missing or no object.
inline const boost::json::object* object_member(const boost::json::object& object, std::string_view name) {
    const boost::json::value* member = object.if_contains(name);
    return member == nullptr ? nullptr : member->if_object();
}

}  // namespace consentry
