// The bodies of HTML forms: application/x-www-form-urlencoded (WHATWG URL section 5), as browsers send them and no
// other way.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "http/request.hpp"
#include "http/schema/parse.hpp"

namespace consentry::http {

inline constexpr std::size_t form_fields_max = 64;

// Parses the body of a form; an empty one has no fields. Errors: 400 if it is malformed, 415 for another media type or
// a content coding.
Result<std::vector<NamedText>> parse_form(const Request& request);

// Returns the decoded fields in their order, or nullopt if a reader could understand the text in another way: each
// field is name=value in printable ASCII, with UTF-8 percent-encoded, and none is empty.
std::optional<std::vector<NamedText>> read_form(std::string_view body);

}  // namespace consentry::http
