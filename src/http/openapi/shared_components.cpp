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
        closed({{"language", language("Of the messages")},
                {"timestamp", whole("Milliseconds since 1970, UTC")},
                {"timezone", text("For display; all times are UTC")},
                {"path", text("As requested, without the query")},
                {"version", text("Of the API")},
                {"repoVersion", text("Of the program")},
                {"requestId", uuid("This request")},
                {"correlationId", text("As sent, or the request id")}},
               {"language", "timestamp", "timezone", "path", "version", "repoVersion", "requestId", "correlationId"});
    out["description"] = "Facts about the answer itself";
    return out;
}

json::object violation() {
    return closed({{"key", text("The rule's name")},
                   {"property", text("Dotted path of the property")},
                   {"message", text("Localized")}},
                  {"key", "property", "message"});
}

json::object row_errors() {
    return closed({{"row", whole("Its number in the file, from 0")},
                   {"errors", {{"type", "array"}, {"items", reference("schemas", "ValidationError")}}}},
                  {"row", "errors"});
}

json::object error(json::object more, json::array required) {
    json::object properties{
        {"statusCode", whole("The service code")},
        {"statusCodeKey", text("The code's name; with the module it tells errors of one number apart")},
        {"module", text("The part of the service that refused")},
        {"message", text("For people, localized by x-custom-lang")},
        {"errors",
         {{"type", "array"},
          {"items", {{"anyOf", {reference("schemas", "ValidationError"), reference("schemas", "RowErrors")}}}},
          {"description", "Every broken rule, of validation only; those of a file row by row"}}},
        {"data", {{"type", "object"}, {"description", "Facts that go with the error, such as retryAfterSeconds"}}},
        {"metadata", reference("schemas", "Metadata")}};
    for (auto& property : more) properties[property.key()] = std::move(property.value());
    for (const char* name : {"statusCode", "statusCodeKey", "module", "message", "metadata"}) required.push_back(name);
    return closed(std::move(properties), std::move(required));
}

// RFC 9457, for clients that accept application/problem+json.
json::object problem() {
    return error({{"type", text("`urn:consentry:error:{module}:{statusCodeKey}`")},
                  {"title", text("The HTTP status in words")},
                  {"status", whole("The HTTP status", 400)},
                  {"detail", text("The same as message")},
                  {"instance", text("`urn:uuid:{requestId}`")}},
                 {"type", "title", "status", "detail", "instance"});
}

// `always`: every answer has it.
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
        {"x-request-id", header(uuid("Names this request in logs; as sent where that was a UUID"), true)},
        {"x-correlation-id", header(text("As sent, or the request id"), true)},
        {"x-timestamp", header(whole("Milliseconds since 1970, UTC"), true)},
        {"x-timezone", header(text("For display; all times are UTC"), true)},
        {"x-version", header(text("Of the API"), true)},
        {"x-repo-version", header(text("Of the program"), true)},
        {"x-custom-lang", header(language("Of the messages"), true)},
        {"X-Response-Time",
         header({{"type", "string"}, {"pattern", "^[0-9]+\\.[0-9]{3}ms$"}, {"description", "Time taken"}}, true)},
        {"X-RateLimit-Limit", header(whole("Requests to one operation within the window"), false)},
        {"X-RateLimit-Remaining", header(whole("Requests left now"), false)},
        {"X-RateLimit-Reset", header(whole("Seconds until the next one is free"), false)},
        {"RateLimit", header(text("The same, as draft-ietf-httpapi-ratelimit-headers has it"), false)},
        {"RateLimit-Policy", header(text("The limit, likewise"), false)},
        {"Retry-After", header(whole("Seconds to wait", 1), false)},
        {"Accept", header(text("The media types that would have been taken"), false)},
        {"WWW-Authenticate", header(text("Bearer"), true)},
        {"ETag", header(text("For If-None-Match"), true)},
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
    json::object wanted = language("Language of messages, without case; an unknown one means the default");
    wanted["default"] = "en";
    json::object correlation = text("Comes back in header and metadata; another form is ignored");
    correlation["pattern"] = "^[A-Za-z0-9._-]{1,64}$";
    return {{"Language", parameter("x-custom-lang", std::move(wanted))},
            {"CorrelationId", parameter("x-correlation-id", std::move(correlation))},
            {"RequestId", parameter("x-request-id", uuid("Comes back likewise; anything but a UUID is ignored"))}};
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
        {"accessToken", bearer("The access token of a login")},
        {"refreshToken", bearer("The refresh token of a login, good for one refresh")},
        {"google", bearer("An ID token of Google")},
        {"apple", bearer("An ID token of Apple")},
        {"xApiKey", {{"type", "apiKey"}, {"in", "header"}, {"name", "x-api-key"}, {"description", "`key:secret`"}}}};
}

}  // namespace consentry::http::openapi
