// Selects the format that a client prefers (RFC 9110 section 12.5.1).
#pragma once

#include <string_view>

#include "http/request.hpp"

namespace consentry::http {

// Returns the weight of a range in thousandths: 1000 without a q parameter, 0 if that is malformed. `parameters` are
// the text from the range's first semicolon on (RFC 9110 section 12.4.2).
int weight_of(std::string_view parameters);

// Returns whether errors should be problem documents (RFC 9457): Accept names application/problem+json with a weight at
// least that of JSON. Ranges such as */* do not select them.
bool prefers_problem(const Request& request);

// Whether Accept names text/html, as browsers do when a person opens a page.
bool names_html(const Request& request);
// Whether Accept names application/json, but not text/html.
bool asks_for_json(const Request& request);

}  // namespace consentry::http
