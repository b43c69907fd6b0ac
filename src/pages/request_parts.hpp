// What the pages read of a request, whichever guard admits it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request.hpp"
#include "http/schema/parse.hpp"

namespace consentry {

// Whether a page is asked for; otherwise a form is sent.
inline bool is_reading(const http::Request& request) {
    return request.method == http::Method::get || request.method == http::Method::head;
}

// Takes a field out. Returns nullopt unless it is there once.
inline std::optional<std::string> take_only(std::vector<http::NamedText>& fields, std::string_view name) {
    if (std::ranges::count(fields, name, &http::NamedText::name) != 1) return std::nullopt;
    const auto found = std::ranges::find(fields, name, &http::NamedText::name);
    std::string out = std::move(found->value);
    fields.erase(found);
    return out;
}

}  // namespace consentry
