// The OpenAPI 3.1 document, generated from the declarations.
//
// Operations share components: parameters, bodies, responses, headers. Each operation stands at its first path and
// names its other paths and methods under `x-aliases`. The full document also lists those as operations of their own,
// under the tag `alias`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/locales.hpp"
#include "http/router.hpp"

namespace consentry::http {

// Whether requests may, or must, carry an API key.
enum class ApiKeyUse { none, optional, required };

struct OpenApiInfo {
    std::string title;
    std::string version;
    std::string description = {};
    std::string server_url = "/";
    ApiKeyUse api_keys = ApiKeyUse::none;
    std::vector<std::pair<std::string, std::string>> tags = {};  // name and description, in display order
};

// The full document.
boost::json::object openapi_document(const Router& router, const Locales& locales, const OpenApiInfo& info);
// Reduces a full document to one path per operation.
void leave_out_aliases(boost::json::object& document);

}  // namespace consentry::http
