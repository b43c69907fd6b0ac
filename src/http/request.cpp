#include "http/request.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace consentry::http {

std::string_view name_of(Method method) {
    switch (method) {
        case Method::get:
            return "GET";
        case Method::head:
            return "HEAD";
        case Method::post:
            return "POST";
        case Method::put:
            return "PUT";
        case Method::patch:
            return "PATCH";
        case Method::delete_:
            return "DELETE";
        case Method::options:
            return "OPTIONS";
        case Method::other:
            break;
    }
    return "OTHER";
}

std::optional<std::string_view> Request::header(std::string_view name) const {
    // Compares lengths first: about ten headers are looked up per request, and most names differ in length.
    for (const auto& [key, value] : headers)
        if (key.size() == name.size() && equal_ignoring_case(key, name)) return value;
    return std::nullopt;
}

std::size_t Request::count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(headers, [&](const auto& field) { return equal_ignoring_case(field.first, name); }));
}

}  // namespace consentry::http
