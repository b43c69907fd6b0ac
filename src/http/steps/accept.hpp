// Which form of an error a client wants (RFC 9110 section 12.5.1).
#pragma once

#include "http/request.hpp"

namespace consentry::http {

// Whether errors shall be problems (RFC 9457): where Accept names application/problem+json and gives JSON no greater
// weight. Ranges such as */* ask for nothing.
bool prefers_problem(const Request& request);

}  // namespace consentry::http
