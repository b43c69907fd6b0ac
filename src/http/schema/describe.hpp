// Generates the OpenAPI 3.1 schema (JSON Schema 2020-12) of a field table. DTOs become components, referenced by name.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/serialize.hpp"

namespace consentry::http {

// The components collected for a document so far: schema name -> schema.
using Components = boost::json::object;

// Collects the properties of one object. What does not depend on their types is here and in describe.cpp, because every
// endpoint compiles the templates below.
class ObjectSchema {
public:
    void add(std::string_view name, std::string_view description, bool required, boost::json::object schema);
    void add_example(const std::string& text);  // JSON
    boost::json::object take();

private:
    boost::json::object properties_;
    boost::json::array required_;
    boost::json::array examples_;
};

boost::json::object schema_of_type(std::string_view type, std::string_view format = {});
boost::json::object reference_to(std::string_view schema_name);
// Returns the schema of a DTO with several shapes. `fields` is the schema of its whole field table.
boost::json::object describe_shapes(const boost::json::object& fields, const std::vector<Shape>& shapes,
                                    Components& components);

template <class T>
boost::json::object describe(Components& components);

template <DtoType Dto>
boost::json::object describe_fields(Components& components) {
    ObjectSchema out;
    const auto one = [&]<class D, class T, class... Rules>(const Field<D, T, Rules...>& f) {
        boost::json::object schema = describe<T>(components);
        std::apply([&](const auto&... rule) { (rule.describe(schema), ...); }, f.rules);
        out.add(f.name, f.description, !IsOptional<T>::value, std::move(schema));
    };
    std::apply([&](const auto&... f) { (one(f), ...); }, fields_of<Dto>);
    if constexpr (requires { Dto::examples(); }) {
        for (const Dto& example : Dto::examples()) {
            std::string text;
            write_json(text, example);
            out.add_example(text);
        }
    }
    return out.take();
}

template <class T>
boost::json::object describe(Components& components) {
    if constexpr (IsOptional<T>::value) {
        return describe<typename T::value_type>(components);
    } else if constexpr (IsNullable<T>::value) {
        boost::json::object schema = describe<typename decltype(T::value)::value_type>(components);
        schema["type"] = boost::json::array{schema.at("type"), "null"};
        return schema;
    } else if constexpr (IsVector<T>::value) {
        return {{"type", "array"}, {"items", describe<typename T::value_type>(components)}};
    } else if constexpr (DtoType<T>) {
        if (!components.contains(T::schema_name)) {
            components[T::schema_name] = nullptr;  // a DTO may contain itself
            boost::json::object schema = describe_fields<T>(components);
            if constexpr (requires { T::shapes(); }) schema = describe_shapes(schema, T::shapes(), components);
            components[T::schema_name] = std::move(schema);
        }
        return reference_to(T::schema_name);
    } else if constexpr (std::is_same_v<T, bool>) {
        return schema_of_type("boolean");
    } else if constexpr (std::is_integral_v<T>) {
        return schema_of_type("integer");
    } else if constexpr (NamedEnum<T>) {
        boost::json::array names;
        for (const auto& [value, name] : EnumNames<T>::names) names.emplace_back(name);
        return {{"type", "string"}, {"enum", std::move(names)}};
    } else if constexpr (std::is_same_v<T, TimePoint>) {
        return schema_of_type("string", "date-time");
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
        return schema_of_type("string");
    } else if constexpr (std::is_same_v<T, boost::json::object> || std::is_same_v<T, boost::json::value>) {
        return schema_of_type("object");
    } else {
        return schema_of_type("string", "uuid");
    }
}

}  // namespace consentry::http
