// The OpenAPI 3.1 document, generated from the declarations.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "base/locales.hpp"
#include "http/router.hpp"

namespace consentry::http {

struct OpenApiInfo {
    std::string title;
    std::string version;
    std::string server_url = "/";
};

boost::json::object openapi_document(const Router& router, const Locales& locales, const OpenApiInfo& info);

}  // namespace consentry::http
