// Selects the error format that a client prefers (RFC 9110 section 12.5.1).
#pragma once

#include "http/request.hpp"

namespace consentry::http {

// Returns whether errors should be problem documents (RFC 9457): Accept names application/problem+json with a weight at
// least that of JSON. Ranges such as */* do not select them.
bool prefers_problem(const Request& request);

}  // namespace consentry::http
