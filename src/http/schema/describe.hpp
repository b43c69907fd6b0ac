// Generates the OpenAPI 3.1 schema (JSON Schema 2020-12) of a field table. DTOs become components, referenced by name.
#pragma once

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/serialize.hpp"

namespace consentry::http {

// The components collected for a document so far: schema name -> schema.
using Components = boost::json::object;

template <class T>
boost::json::object describe(Components& components);

template <DtoType Dto>
boost::json::object describe_fields(Components& components) {
    boost::json::object properties;
    boost::json::array required;
    const auto one = [&]<class D, class T, class... Rules>(const Field<D, T, Rules...>& f) {
        boost::json::object schema = describe<T>(components);
        std::apply([&](const auto&... rule) { (rule.describe(schema), ...); }, f.rules);
        if (!f.description.empty()) schema["description"] = f.description;
        properties[f.name] = std::move(schema);
        if (!IsOptional<T>::value) required.emplace_back(f.name);
    };
    std::apply([&](const auto&... f) { (one(f), ...); }, Dto::fields());
    boost::json::object out{{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
    if (!required.empty()) out["required"] = std::move(required);
    if constexpr (requires { Dto::examples(); }) {
        boost::json::array examples;
        for (const Dto& one : Dto::examples()) {
            std::string text;
            write_json(text, one);
            examples.push_back(boost::json::parse(text));
        }
        out["examples"] = std::move(examples);
    }
    return out;
}

// Returns the schema of a DTO with several shapes. `fields` is the schema of its whole field table.
inline boost::json::object describe_shapes(const boost::json::object& fields, const std::vector<Shape>& shapes,
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
        one_of.push_back(boost::json::object{{"$ref", "#/components/schemas/" + std::string(shape.schema_name)}});
    }
    boost::json::object out{{"oneOf", std::move(one_of)}};
    if (const auto* examples = fields.if_contains("examples")) out["examples"] = *examples;
    return out;
}

template <class T>
boost::json::object describe(Components& components) {
    if constexpr (IsOptional<T>::value) {
        return describe<typename T::value_type>(components);
    } else if constexpr (IsVector<T>::value) {
        return {{"type", "array"}, {"items", describe<typename T::value_type>(components)}};
    } else if constexpr (DtoType<T>) {
        if (!components.contains(T::schema_name)) {
            components[T::schema_name] = nullptr;  // a DTO may contain itself
            boost::json::object schema = describe_fields<T>(components);
            if constexpr (requires { T::shapes(); }) schema = describe_shapes(schema, T::shapes(), components);
            components[T::schema_name] = std::move(schema);
        }
        return {{"$ref", "#/components/schemas/" + std::string(T::schema_name)}};
    } else if constexpr (std::is_same_v<T, bool>) {
        return {{"type", "boolean"}};
    } else if constexpr (std::is_integral_v<T>) {
        return {{"type", "integer"}};
    } else if constexpr (NamedEnum<T>) {
        boost::json::array names;
        for (const auto& [value, name] : EnumNames<T>::names) names.emplace_back(name);
        return {{"type", "string"}, {"enum", std::move(names)}};
    } else if constexpr (std::is_same_v<T, TimePoint>) {
        return {{"type", "string"}, {"format", "date-time"}};
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
        return {{"type", "string"}};
    } else if constexpr (std::is_same_v<T, boost::json::object> || std::is_same_v<T, boost::json::value>) {
        return {{"type", "object"}};
    } else {
        return {{"type", "string"}, {"format", "uuid"}};
    }
}

}  // namespace consentry::http
