#include "http/openapi/draft.hpp"
#include "http/openapi/example.hpp"

namespace consentry::http::openapi {
namespace {

json::object text(std::string_view description) { return {{"type", "string"}, {"description", description}}; }
json::object whole(std::string_view description, std::int64_t least = 0) {
    return {{"type", "integer"}, {"minimum", least}, {"description", description}};
}
json::object uuid(std::string_view description) {
    return {{"type", "string"}, {"format", "uuid"}, {"description", description}};
}
json::object language(std::string_view description) {
    json::array names;
    for (const auto name : language_names) names.emplace_back(name);
    return {{"type", "string"}, {"enum", std::move(names)}, {"description", description}};
}

json::object closed(json::object properties, json::array required) {
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)}};
}

json::object metadata() {
    json::object out =
        closed({{"language", language("Language of messages")},
                {"timestamp", whole("Time of the response, in milliseconds since 1970")},
                {"timezone", text("Time zone for display; all times are UTC")},
                {"path", text("Requested path, without the query")},
                {"version", text("API version")},
                {"repoVersion", text("Consentry version")},
                {"requestId", uuid("Request ID")},
                {"correlationId", text("Correlation ID of the client, or the request ID")}},
               {"language", "timestamp", "timezone", "path", "version", "repoVersion", "requestId", "correlationId"});
    out["description"] = "Facts about the response";
    return out;
}

json::object violation() {
    return closed({{"key", text("Name of the violated rule")},
                   {"property", text("Path of the property, with dots")},
                   {"message", text("Localized message")}},
                  {"key", "property", "message"});
}

json::object row_errors() {
    return closed({{"row", whole("Row number, from 0")},
                   {"errors", {{"type", "array"}, {"items", reference("schemas", "ValidationError")}}}},
                  {"row", "errors"});
}

json::object error(json::object more, json::array required) {
    json::object properties{
        {"statusCode", whole("Service code")},
        {"statusCodeKey", text("Name of the service code; `module` and `statusCodeKey` together identify an error")},
        {"module", text("Part of the service that reports the error")},
        {"message", text("Localized message, in the language of `x-custom-lang`")},
        {"errors",
         {{"type", "array"},
          {"items", {{"anyOf", {reference("schemas", "ValidationError"), reference("schemas", "RowErrors")}}}},
          {"description", "All violated rules of a validation error; for a file, row by row"}}},
        {"data",
         {{"type", "object"},
          {"additionalProperties", true},
          {"description", "Details of the error, such as `retryAfterSeconds`"}}},
        {"metadata", reference("schemas", "Metadata")}};
    for (auto& property : more) properties[property.key()] = std::move(property.value());
    for (const char* name : {"statusCode", "statusCodeKey", "module", "message", "metadata"}) required.push_back(name);
    return closed(std::move(properties), std::move(required));
}

// RFC 9457, for clients that accept application/problem+json.
json::object problem() {
    return error({{"type", text("`urn:consentry:error:{module}:{statusCodeKey}`")},
                  {"title", text("Reason phrase of the HTTP status")},
                  {"status", whole("HTTP status", 400)},
                  {"detail", text("Same as `message`")},
                  {"instance", text("`urn:uuid:{requestId}`")}},
                 {"type", "title", "status", "detail", "instance"});
}

// `always`: the header is in every answer.
json::object header(json::object schema, bool always) {
    json::object out;
    if (auto* description = schema.if_contains("description")) {
        out["description"] = std::move(*description);
        schema.erase("description");
    }
    out["required"] = always;
    out["schema"] = std::move(schema);
    return out;
}

json::object all_headers() {
    return {
        {"x-request-id", header(uuid("Request ID, also in logs; the client's own if it sent a UUID"), true)},
        {"x-correlation-id", header(text("Correlation ID of the client, or the request ID"), true)},
        {"x-timestamp", header(whole("Time of the response, in milliseconds since 1970"), true)},
        {"x-timezone", header(text("Time zone for display; all times are UTC"), true)},
        {"x-version", header(text("API version"), true)},
        {"x-repo-version", header(text("Consentry version"), true)},
        {"x-custom-lang", header(language("Language of messages"), true)},
        {"X-Response-Time",
         header({{"type", "string"}, {"pattern", "^[0-9]+\\.[0-9]{3}ms$"}, {"description", "Processing time"}}, true)},
        {"X-RateLimit-Limit", header(whole("Requests per operation and window"), false)},
        {"X-RateLimit-Remaining", header(whole("Remaining requests"), false)},
        {"X-RateLimit-Reset", header(whole("Seconds until the next request is allowed"), false)},
        {"RateLimit",
         header(text("Remaining requests and reset time, after draft-ietf-httpapi-ratelimit-headers"), false)},
        {"RateLimit-Policy", header(text("Limit and window, after draft-ietf-httpapi-ratelimit-headers"), false)},
        {"Retry-After", header(whole("Seconds to wait", 1), false)},
        {"Accept", header(text("Supported media types"), false)},
        {"Location", header(text("Page where the user can supply what is missing"), false)},
        {"WWW-Authenticate", header(text("Bearer"), true)},
        {"ETag", header(text("Entity tag for If-None-Match"), true)},
    };
}

json::object parameter(std::string_view name, json::object schema) {
    json::object out{{"name", name}, {"in", "header"}, {"required", false}};
    out["description"] = schema.at("description");
    schema.erase("description");
    out["schema"] = std::move(schema);
    return out;
}

json::object all_parameters() {
    json::object wanted = language("Language of messages; case-insensitive. An unknown language means the default");
    wanted["default"] = "en";
    json::object correlation =
        text("Correlation ID; returned in header and metadata. Consentry ignores an ID of another form");
    correlation["pattern"] = "^[A-Za-z0-9._-]{1,64}$";
    return {{"Language", parameter("x-custom-lang", std::move(wanted))},
            {"CorrelationId", parameter("x-correlation-id", std::move(correlation))},
            {"RequestId",
             parameter("x-request-id",
                       uuid("Request ID; returned in header and metadata. Consentry ignores anything but a UUID"))}};
}

json::object bearer(std::string_view description) {
    return {{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}, {"description", description}};
}

}  // namespace

void add_shared_components(Draft& draft) {
    draft.schemas = {{"Metadata", metadata()},
                     {"ValidationError", violation()},
                     {"RowErrors", row_errors()},
                     {"Error", error({}, {})},
                     {"Problem", problem()}};
    draft.headers = all_headers();
    draft.parameters = all_parameters();
    draft.security_schemes = {
        {"accessToken", bearer("Access token")},
        {"refreshToken", bearer("Refresh token; works once")},
        {"google", bearer("Google ID token")},
        {"apple", bearer("Apple ID token")},
        {"xApiKey",
         {{"type", "apiKey"}, {"in", "header"}, {"name", "x-api-key"}, {"description", "API key, as `key:secret`"}}}};
}

}  // namespace consentry::http::openapi
