// Generates realistic example values that conform to a schema, for the OpenAPI document.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "http/schema/describe.hpp"

namespace consentry::http::openapi {

// Returns the schema's own example, or else one derived from its format, pattern, bounds and the property name.
boost::json::value example_of(const boost::json::object& schema, const Components& schemas, std::string_view name = {});

// Adds "example" to a media type, or "examples" if the schema has several of its own.
void add_examples(boost::json::object& media_type, const boost::json::object& schema, const Components& schemas);

// Returns the metadata of an answer to a request for `path`.
boost::json::object example_metadata(std::string_view path);

}  // namespace consentry::http::openapi
