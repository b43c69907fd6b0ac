// Generates the OpenAPI 3.1 document from the declarations.
//
// Operations share components: parameters, bodies, responses, headers. Each operation is documented under its first
// path and lists its other paths and methods in `x-aliases`. The full document also lists those as separate operations,
// tagged `alias`.
#pragma once

#include <boost/json/object.hpp>

#include "base/locales.hpp"
#include "http/openapi/info.hpp"
#include "http/router.hpp"

namespace consentry::http {

boost::json::object openapi_document(const Router& router, const Locales& locales, const OpenApiInfo& info);
// Reduces a full document to one path per operation.
void leave_out_aliases(boost::json::object& document);

}  // namespace consentry::http
