#include "http/schema/describe.hpp"

#include <utility>

#include <boost/json/parse.hpp>

namespace consentry::http {

void ObjectSchema::add(std::string_view name, std::string_view description, bool required, boost::json::object schema) {
    if (!description.empty()) schema["description"] = description;
    properties_[name] = std::move(schema);
    if (required) required_.emplace_back(name);
}

void ObjectSchema::add_example(const std::string& text) { examples_.push_back(boost::json::parse(text)); }

boost::json::object ObjectSchema::take() {
    boost::json::object out{
        {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties_)}};
    if (!required_.empty()) out["required"] = std::move(required_);
    if (!examples_.empty()) out["examples"] = std::move(examples_);
    return out;
}

boost::json::object schema_of_type(std::string_view type, std::string_view format) {
    boost::json::object out{{"type", type}};
    // An object that is no DTO. Without this, generators of clients take it for one that is always empty.
    if (type == "object") out["additionalProperties"] = true;
    if (!format.empty()) out["format"] = format;
    return out;
}

boost::json::object reference_to(std::string_view schema_name) {
    return {{"$ref", "#/components/schemas/" + std::string(schema_name)}};
}

boost::json::object describe_shapes(const boost::json::object& fields, const std::vector<Shape>& shapes,
                                    Components& components) {
    boost::json::array one_of;
    for (const Shape& shape : shapes) {
        boost::json::object properties;
        boost::json::array required;
        for (const ShapeField& member : shape.fields) {
            boost::json::object schema = fields.at("properties").at(member.name).as_object();
            if (member.constant) schema["const"] = *member.constant;
            properties[member.name] = std::move(schema);
            if (member.required) required.emplace_back(member.name);
        }
        components[shape.schema_name] = boost::json::object{{"type", "object"},
                                                            {"description", shape.description},
                                                            {"additionalProperties", false},
                                                            {"properties", std::move(properties)},
                                                            {"required", std::move(required)}};
        one_of.push_back(reference_to(shape.schema_name));
    }
    boost::json::object out{{"oneOf", std::move(one_of)}};
    if (const auto* examples = fields.if_contains("examples")) out["examples"] = *examples;
    return out;
}

}  // namespace consentry::http
