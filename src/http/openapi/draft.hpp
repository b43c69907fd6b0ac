// An OpenAPI document under construction, shared by the code that generates its parts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <boost/json/object.hpp>

#include "base/locales.hpp"
#include "http/openapi/info.hpp"
#include "http/operation.hpp"
#include "http/schema/describe.hpp"

namespace consentry::http::openapi {

namespace json = boost::json;

using Kinds = std::vector<const ErrorKind*>;

struct Draft {
    const Locales& locales;
    const OpenApiInfo& info;
    Components schemas;
    json::object parameters;
    json::object headers;
    json::object request_bodies;
    json::object responses;
    json::object examples;
    json::object security_schemes;
    // Whether browsers get pages, status and errors -> their response component.
    std::map<std::tuple<bool, unsigned, Kinds>, std::string> error_sets;
};

inline json::object reference(std::string_view section, std::string_view name) {
    return {{"$ref", "#/components/" + std::string(section) + "/" + std::string(name)}};
}

// Adds the components that every document has: envelopes, headers, parameters, security schemes.
void add_shared_components(Draft& draft);

// Describes an operation. Its parts become components, so that its other paths can refer to them. `path` is the
// documented path.
json::object describe_operation(const Operation& operation, std::string_view path, Draft& draft);
json::object describe_responses(const Operation& operation, std::string_view path, Draft& draft);

}  // namespace consentry::http::openapi
