// What clients prefer (RFC 9110 section 12): the parser of all such headers, and the format that Accept selects.
#pragma once

#include <string_view>

#include "http/request.hpp"

namespace consentry::http {

// A media range, content coding or language, and its weight in thousandths: 1000 without a q parameter, 0 if that is
// malformed (RFC 9110 section 12.4.2).
struct Weighted {
    std::string_view name;
    int weight;
};
// Takes the first one off the value of a header.
Weighted take_weighted(std::string_view& value);

// Returns whether errors should be problem documents (RFC 9457): Accept names application/problem+json with a weight at
// least that of JSON. Ranges such as */* do not select them.
bool prefers_problem(const Request& request);

// Whether Accept names text/html with a weight, as browsers do when a person opens a page.
bool names_html(const Request& request);
// Whether Accept names application/json, but not text/html.
bool asks_for_json(const Request& request);

}  // namespace consentry::http
