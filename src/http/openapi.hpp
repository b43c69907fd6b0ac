// The OpenAPI 3.1 document, generated from the declarations.
//
// What operations have in common stands once, under components. An operation is written out at its documented path; its
// other paths and methods refer to the same components, under the tag `alias`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/locales.hpp"
#include "http/router.hpp"

namespace consentry::http {

// Whether requests may, or must, show an API key.
enum class ApiKeyUse { none, optional, required };

struct OpenApiInfo {
    std::string title;
    std::string version;
    std::string description = {};
    std::string server_url = "/";
    ApiKeyUse api_keys = ApiKeyUse::none;
    std::vector<std::pair<std::string, std::string>> tags = {};  // what each tag is about, in the order to be shown
};

boost::json::object openapi_document(const Router& router, const Locales& locales, const OpenApiInfo& info);

}  // namespace consentry::http
