#include "http/openapi.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "base/text.hpp"

namespace consentry::http {
namespace {

namespace json = boost::json;

json::object header(std::string_view description, json::object schema) {
    return {{"description", description}, {"schema", std::move(schema)}};
}

json::object shared_schemas() {
    json::array languages;
    for (const auto name : language_names) languages.emplace_back(name);
    const json::object text{{"type", "string"}};
    const json::object number{{"type", "integer"}};
    json::object metadata{
        {"type", "object"},
        {"description", "Facts about the answer itself"},
        {"required",
         {"language", "timestamp", "timezone", "path", "version", "repoVersion", "requestId", "correlationId"}},
        {"properties",
         {{"language", {{"type", "string"}, {"enum", languages}}},
          {"timestamp", {{"type", "integer"}, {"description", "Milliseconds since 1970, UTC"}}},
          {"timezone", text},
          {"path", text},
          {"version", text},
          {"repoVersion", text},
          {"requestId", {{"type", "string"}, {"format", "uuid"}}},
          {"correlationId", text}}}};
    json::object violation{{"type", "object"},
                           {"required", {"key", "property", "message"}},
                           {"properties",
                            {{"key", {{"type", "string"}, {"description", "The rule's name"}}},
                             {"property", {{"type", "string"}, {"description", "Dotted path of the property"}}},
                             {"message", text}}}};
    json::object error{{"type", "object"},
                       {"required", {"statusCode", "statusCodeKey", "module", "message", "metadata"}},
                       {"properties",
                        {{"statusCode", {{"type", "integer"}, {"description", "The service code"}}},
                         {"statusCodeKey", {{"type", "string"}, {"description", "The code's name"}}},
                         {"module", text},
                         {"message", {{"type", "string"}, {"description", "Localized by x-custom-lang"}}},
                         {"errors", {{"type", "array"}, {"items", {{"$ref", "#/components/schemas/ValidationError"}}}}},
                         {"data", {{"type", "object"}}},
                         {"metadata", {{"$ref", "#/components/schemas/Metadata"}}}}}};
    return {{"Metadata", std::move(metadata)}, {"ValidationError", std::move(violation)}, {"Error", std::move(error)}};
}

json::object envelope_schema(const Operation& operation, Components& components) {
    json::object properties{{"statusCode", {{"type", "integer"}, {"const", operation.success_status}}},
                            {"message", {{"type", "string"}}},
                            {"metadata", {{"$ref", "#/components/schemas/Metadata"}}}};
    json::array required{"statusCode", "message", "metadata"};
    if (operation.describe_data) {
        properties["data"] = operation.describe_data(components);
        required.emplace_back("data");
    }
    return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

json::object json_content(json::object schema) { return {{"application/json", {{"schema", std::move(schema)}}}}; }

json::object success(const Operation& operation, const Locales& locales, Components& components) {
    if (operation.no_content) return {{"description", "Done; no body"}};
    json::object out{{"description", operation.message_key.empty()
                                         ? std::string_view(operation.summary)
                                         : locales.text(Language::en, operation.message_key)}};
    if (operation.raw) {
        json::object schema{{"type", "object"}};
        const std::string type = operation.raw_content_type.empty() ? "application/json" : operation.raw_content_type;
        out["content"] = json::object{{type, {{"schema", std::move(schema)}}}};
    } else {
        out["content"] = json_content(envelope_schema(operation, components));
    }
    out["headers"] = json::object{{"x-request-id", {{"$ref", "#/components/headers/RequestId"}}},
                                  {"x-correlation-id", {{"$ref", "#/components/headers/CorrelationId"}}}};
    return out;
}

// Errors of one HTTP status share a response: its description lists the service codes.
void add_errors(json::object& responses, const Operation& operation, const Locales& locales) {
    std::vector<const ErrorKind*> kinds{&errors::timeout, &errors::validation, &errors::unknown,
                                        &errors::service_unavailable};
    if (operation.takes_body) {
        kinds.push_back(&errors::bad_request);
        kinds.push_back(&errors::payload_too_large);
        kinds.push_back(&errors::unsupported_media_type);
    }
    if (operation.describe_path) kinds.push_back(&errors::invalid_identifier);
    kinds.insert(kinds.end(), operation.access.errors.begin(), operation.access.errors.end());
    kinds.insert(kinds.end(), operation.errors.begin(), operation.errors.end());

    std::map<unsigned, std::vector<const ErrorKind*>> by_status;
    for (const ErrorKind* kind : kinds) {
        auto& same = by_status[kind->http_status];
        if (std::ranges::find(same, kind) == same.end()) same.push_back(kind);
    }
    for (const auto& [status, same] : by_status) {
        std::string description;
        json::array codes;
        for (const ErrorKind* kind : same) {
            description.append(description.empty() ? "" : "; ");
            description.append(std::to_string(kind->service_code)).append(" ").append(kind->name).append(": ");
            description.append(locales.text(Language::en, kind->message_key));
            codes.emplace_back(kind->service_code);
        }
        json::object schema{{"allOf",
                             {json::object{{"$ref", "#/components/schemas/Error"}},
                              json::object{{"type", "object"},
                                           {"properties", {{"statusCode", {{"type", "integer"}, {"enum", codes}}}}}}}}};
        json::object response{{"description", description}, {"content", json_content(std::move(schema))}};
        if (status == 429 || status == 503)
            response["headers"] = json::object{{"Retry-After", {{"$ref", "#/components/headers/RetryAfter"}}}};
        responses[std::to_string(status)] = std::move(response);
    }
}

void add_parameters(json::array& out, const json::object& schema, std::string_view in) {
    const auto& properties = schema.at("properties").as_object();
    std::set<std::string_view> required;
    if (const auto* names = schema.if_contains("required"))
        for (const auto& name : names->as_array()) required.insert(std::string_view(name.as_string()));
    for (const auto& [name, property] : properties) {
        json::object parameter{{"name", name}, {"in", in}, {"required", in == "path" || required.contains(name)}};
        json::object inner = property.as_object();
        if (auto* description = inner.if_contains("description")) {
            parameter["description"] = *description;
            inner.erase("description");
        }
        parameter["schema"] = std::move(inner);
        out.emplace_back(std::move(parameter));
    }
}

json::object describe_operation(const Operation& operation, Method method, std::size_t alias, const Locales& locales,
                                Components& components) {
    json::object out;
    // One operation under several paths: ids stay unique by a number.
    std::string id = operation.id;
    if (method != operation.method) id.append("By").append(name_of(method));
    if (alias > 0) id.append(std::to_string(alias + 1));
    out["operationId"] = std::move(id);
    out["summary"] = operation.summary;
    if (!operation.description.empty()) out["description"] = operation.description;
    out["tags"] = json::array{json::string(operation.tag)};
    json::array parameters;
    if (!operation.raw) {
        parameters.emplace_back(json::object{{"$ref", "#/components/parameters/Language"}});
        parameters.emplace_back(json::object{{"$ref", "#/components/parameters/CorrelationId"}});
        parameters.emplace_back(json::object{{"$ref", "#/components/parameters/RequestId"}});
    }
    if (operation.describe_path) add_parameters(parameters, operation.describe_path(components), "path");
    if (operation.describe_query) add_parameters(parameters, operation.describe_query(components), "query");
    if (!parameters.empty()) out["parameters"] = std::move(parameters);
    if (operation.describe_body) {
        // A missing body is read as {}: it must be there only where one of its members must.
        json::object schema = operation.describe_body(components);
        std::string_view name = schema.at("$ref").as_string();
        name.remove_prefix(std::string_view("#/components/schemas/").size());
        const bool required = components.at(name).as_object().contains("required");
        out["requestBody"] = json::object{{"required", required}, {"content", json_content(std::move(schema))}};
    }
    json::object responses;
    responses[operation.no_content ? "204" : std::to_string(operation.success_status)] =
        success(operation, locales, components);
    add_errors(responses, operation, locales);
    out["responses"] = std::move(responses);
    out["security"] = operation.access.security_scheme.empty()
                          ? json::array{}
                          : json::array{json::object{{operation.access.security_scheme, json::array{}}}};
    return out;
}

// "/user/:userId" -> "/user/{userId}"
std::string template_of(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const auto colon = path.find("/:");
        out.append(path.substr(0, colon));
        if (colon == std::string_view::npos) break;
        path.remove_prefix(colon + 2);
        const auto name = path.substr(0, path.find('/'));
        out.append("/{").append(name).append("}");
        path.remove_prefix(name.size());
    }
    return out;
}

std::string lower_method(Method method) { return to_lower_ascii(name_of(method)); }

}  // namespace

json::object openapi_document(const Router& router, const Locales& locales, const OpenApiInfo& info) {
    Components schemas = shared_schemas();
    json::object paths;
    std::set<std::string> tags;
    for (const auto& operation : router.operations()) {
        tags.insert(operation->tag);
        std::size_t alias = 0;
        for (const std::string& path : router.full_paths(*operation)) {
            auto& item = paths[template_of(path)];
            if (item.is_null()) item = json::object{};
            std::vector<Method> methods{operation->method};
            methods.insert(methods.end(), operation->other_methods.begin(), operation->other_methods.end());
            for (const Method method : methods)
                item.as_object()[lower_method(method)] =
                    describe_operation(*operation, method, alias, locales, schemas);
            ++alias;
        }
    }
    json::array languages;
    for (const auto name : language_names) languages.emplace_back(name);
    json::array tag_list;
    for (const auto& tag : tags) tag_list.emplace_back(json::object{{"name", tag}});
    const auto text = json::object{{"type", "string"}};
    const auto parameter = [](std::string_view name, std::string_view description, json::object schema) {
        return json::object{{"name", name},
                            {"in", "header"},
                            {"required", false},
                            {"description", description},
                            {"schema", std::move(schema)}};
    };
    const auto bearer = [](std::string_view description) {
        return json::object{
            {"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}, {"description", description}};
    };
    return {
        {"openapi", "3.1.0"},
        {"info",
         {{"title", info.title},
          {"version", info.version},
          {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
        {"servers", {{{"url", info.server_url}}}},
        {"tags", std::move(tag_list)},
        {"paths", std::move(paths)},
        {"components",
         {{"schemas", std::move(schemas)},
          {"parameters",
           {{"Language", parameter("x-custom-lang", "Language of messages, without case; unknown ones mean the default",
                                   {{"type", "string"}, {"enum", languages}, {"default", "en"}})},
            {"CorrelationId",
             parameter("x-correlation-id", "1 to 64 of A-Z a-z 0-9 . _ -; comes back in metadata", text)},
            {"RequestId",
             parameter("x-request-id", "A UUID; comes back in metadata", {{"type", "string"}, {"format", "uuid"}})}}},
          {"headers",
           {{"RequestId", header("Identifies the request", {{"type", "string"}, {"format", "uuid"}})},
            {"CorrelationId", header("As sent, or the request id", text)},
            {"RetryAfter", header("Whole seconds to wait", {{"type", "integer"}, {"minimum", 1}})}}},
          {"securitySchemes",
           {{"accessToken", bearer("Access token of a login")},
            {"refreshToken", bearer("Refresh token of a login")}}}}}};
}

}  // namespace consentry::http
