// Generates the OpenAPI 3.1 document from the declarations.
//
// Operations share components: parameters, bodies, responses, headers. Each operation is documented under its first
// path and lists its other paths and methods in `x-aliases`. The full document also lists those as separate operations,
// tagged `alias`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/locales.hpp"
#include "http/router.hpp"

namespace consentry::http {

// Whether requests may or must carry an API key.
enum class ApiKeyUse { none, optional, required };

struct OpenApiInfo {
    std::string title;
    std::string version;
    std::string description = {};
    std::string server_url = "/";
    ApiKeyUse api_keys = ApiKeyUse::none;
    std::vector<std::pair<std::string, std::string>> tags = {};  // name and description, in display order
};

boost::json::object openapi_document(const Router& router, const Locales& locales, const OpenApiInfo& info);
// Reduces a full document to one path per operation.
void leave_out_aliases(boost::json::object& document);

}  // namespace consentry::http
