// Members of JSON documents that anybody may have written.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace consentry {

// Empty if `name` is missing or not a string. Views the document.
inline std::string_view member_text(const boost::json::object& object, std::string_view name) {
    const boost::json::value* member = object.if_contains(name);
    return member == nullptr || !member->is_string() ? std::string_view() : std::string_view(member->get_string());
}

}  // namespace consentry
