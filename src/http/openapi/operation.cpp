#include "base/text.hpp"
#include "http/openapi/draft.hpp"
#include "http/openapi/example.hpp"

namespace consentry::http::openapi {
namespace {

// Adds the members of a query or a path, each as its own component.
void add_parameters(json::array& out, const Operation& operation, const json::object& schema, std::string_view in,
                    Draft& draft) {
    const auto* required = schema.if_contains("required");
    const json::object& properties = schema.at("properties").as_object();
    for (const auto& [name, property] : properties) {
        const bool is_required =
            in == "path" || (required != nullptr &&
                             std::ranges::find(required->as_array(), json::value(name)) != required->as_array().end());
        json::object parameter{{"name", name}, {"in", in}, {"required", is_required}};
        json::object inner = property.as_object();
        if (const auto* description = inner.if_contains("description")) {
            parameter["description"] = *description;
            inner.erase("description");
        }
        if (is_required) parameter["example"] = example_of(inner, draft.schemas, name);
        // OpenAPI has no word for it: the value may contain slashes, which must not be percent-encoded.
        if (in == "path" && operation.rest_of_path && name == std::prev(properties.end())->key())
            parameter["x-rest-of-path"] = true;
        parameter["schema"] = std::move(inner);
        const std::string component = operation.id + "." + std::string(name);
        draft.parameters[component] = std::move(parameter);
        out.push_back(reference("parameters", component));
    }
}

json::object request_body(const Operation& operation, Draft& draft) {
    json::object schema = operation.describe_body(draft.schemas);
    std::string_view name = schema.at("$ref").as_string();
    name.remove_prefix(name.rfind('/') + 1);
    // A missing body is parsed as {}, so the body is required only if one of its members is.
    const bool required = draft.schemas.at(name).as_object().contains("required");
    json::object media_type;
    add_examples(media_type, schema, draft.schemas);
    media_type["schema"] = std::move(schema);
    return {{"required", required}, {"content", {{"application/json", std::move(media_type)}}}};
}

// Describes a file, sent in a form or as the body itself.
json::object upload_body() {
    const json::object file{{"type", "string"}, {"contentMediaType", "text/csv"}, {"description", "CSV file"}};
    const json::object form{{"type", "object"},
                            {"additionalProperties", false},
                            {"required", json::array{"file"}},
                            {"properties", {{"file", file}}}};
    return {{"required", true},
            {"content", {{"multipart/form-data", {{"schema", form}}}, {"text/csv", {{"schema", file}}}}}};
}

json::array security(const Operation& operation, const OpenApiInfo& info) {
    const auto& access = operation.access;
    std::vector<json::object> ways(1);
    if (!access.security_scheme.empty()) ways.front()[access.security_scheme] = json::array{};
    if (!access.optional_scheme.empty()) ways.emplace_back()[access.optional_scheme] = json::array{};
    const bool is_for_systems = operation.api_key == ApiKeyDemand::system;
    const bool takes_key =
        is_for_systems || (operation.api_key != ApiKeyDemand::none && info.api_keys != ApiKeyUse::none);
    json::array out;
    if (!takes_key && ways.size() == 1 && ways.front().empty()) return out;
    if (!takes_key || (!is_for_systems && info.api_keys != ApiKeyUse::required))
        for (const json::object& way : ways) out.push_back(way);
    if (!takes_key) return out;
    for (json::object& way : ways) {
        way["xApiKey"] = json::array{};
        out.push_back(std::move(way));
    }
    return out;
}

// The access rule first, then the endpoint's own description.
std::string description_of(const Operation& operation) {
    std::string out = operation.access.demand;
    for (const std::string_view sentences :
         {std::string_view(operation.api_key == ApiKeyDemand::system ? "Requires an API key of type `system`." : ""),
          std::string_view(operation.description)}) {
        if (!out.empty() && !sentences.empty()) out.push_back(' ');
        out.append(sentences);
    }
    return out;
}

}  // namespace

json::object describe_operation(const Operation& operation, std::string_view path, Draft& draft) {
    json::object out{{"operationId", operation.id}, {"summary", operation.summary}};
    if (const std::string description = description_of(operation); !description.empty())
        out["description"] = description;
    out["tags"] = json::array{json::string(operation.tag)};
    json::array parameters{reference("parameters", "Language"), reference("parameters", "CorrelationId"),
                           reference("parameters", "RequestId")};
    if (operation.describe_path)
        add_parameters(parameters, operation, operation.describe_path(draft.schemas), "path", draft);
    if (operation.describe_query)
        add_parameters(parameters, operation, operation.describe_query(draft.schemas), "query", draft);
    for (const auto& [name, text] : operation.request_headers) {
        draft.parameters[name] = json::object{{"name", name},
                                              {"in", "header"},
                                              {"required", false},
                                              {"description", text},
                                              {"schema", schema_of_type("string")}};
        parameters.push_back(reference("parameters", name));
    }
    out["parameters"] = std::move(parameters);
    if (operation.describe_body) {
        draft.request_bodies[operation.id] = request_body(operation, draft);
        out["requestBody"] = reference("requestBodies", operation.id);
    }
    if (operation.takes_upload) {
        draft.request_bodies["file"] = upload_body();
        out["requestBody"] = reference("requestBodies", "file");
    }
    if (operation.takes_file_body)
        out["requestBody"] =
            json::object{{"required", true}, {"content", {{"application/octet-stream", {{"schema", json::object{}}}}}}};
    out["responses"] = describe_responses(operation, path, draft);
    out["security"] = security(operation, draft.info);
    return out;
}

}  // namespace consentry::http::openapi
