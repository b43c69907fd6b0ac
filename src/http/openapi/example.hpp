// Values that a schema allows and a reader recognizes: for the examples of the document.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "http/schema/describe.hpp"

namespace consentry::http::openapi {

// The schema's own example where it has one; else made of its format, pattern, bounds and the property's name.
boost::json::value example_of(const boost::json::object& schema, const Components& schemas, std::string_view name = {});

// Media type members: "example", or "examples" where the schema has several of its own.
void add_examples(boost::json::object& media_type, const boost::json::object& schema, const Components& schemas);

// The metadata of an answer to a request for `path`.
boost::json::object example_metadata(std::string_view path);

}  // namespace consentry::http::openapi
