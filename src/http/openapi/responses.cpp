#include <algorithm>
#include <map>
#include <tuple>

#include "base/errors.hpp"
#include "http/openapi/draft.hpp"
#include "http/openapi/example.hpp"

namespace consentry::http::openapi {
namespace {

void add(Kinds& to, const Kinds& more) {
    for (const ErrorKind* kind : more)
        if (std::ranges::find(to, kind) == to.end()) to.push_back(kind);
}

// The errors that any request can cause.
Kinds common_errors(const Operation& operation, const OpenApiInfo& info) {
    Kinds out{
        &errors::bad_request,       &errors::timeout, &errors::validation,         &errors::unsupported_media_type,
        &errors::too_many_requests, &errors::unknown, &errors::service_unavailable};
    if (operation.takes_body) out.push_back(&errors::payload_too_large);
    // Every operation checks a key that is sent and refuses an empty one as missing. A key of the wrong type is refused
    // only by operations that require a type.
    if (info.api_keys != ApiKeyUse::none || operation.api_key == ApiKeyDemand::system) {
        add(out, {&errors::api_key_required, &errors::api_key_invalid, &errors::api_key_unknown});
        if (operation.api_key != ApiKeyDemand::none) out.push_back(&errors::api_key_forbidden);
    }
    return out;
}

Kinds own_errors(const Operation& operation) {
    Kinds out;
    if (operation.describe_path) out.push_back(&errors::invalid_identifier);
    if (operation.takes_upload) add(out, {&errors::file_required, &errors::file_extension_invalid});
    if (!operation.feature_flag.empty()) out.push_back(&errors::feature_flag_unavailable);
    add(out, operation.errors);
    return out;
}

// Returns the example of an error; a shared component, because many operations have it.
json::object example_of_error(const ErrorKind& kind, Draft& draft) {
    const std::string name =
        std::string(kind.module) + "." + std::to_string(kind.http_status) + "." + std::string(kind.name);
    if (!draft.examples.contains(name)) {
        const json::object facts{{"retryAfterSeconds", 30},
                                 {"period", 90},
                                 {"mediaTypes", "application/json"},
                                 {"index", 12},
                                 {"filter", "status"}};
        const std::string message = draft.locales.text(Language::en, kind.message_key, facts);
        json::object value{{"statusCode", kind.service_code},
                           {"statusCodeKey", kind.name},
                           {"module", kind.module},
                           {"message", message}};
        if (&kind == &errors::validation || &kind == &errors::invalid_identifier) {
            const bool in_path = &kind == &errors::invalid_identifier;
            const std::string property = in_path ? "userId" : "email";
            const std::string key = in_path ? "isUuid" : "isEmail";
            value["errors"] = json::array{json::object{
                {"key", key},
                {"property", property},
                {"message", draft.locales.text(Language::en, "request.error." + key, {{"property", property}})}}};
        }
        if (kind.http_status == 429 || &kind == &errors::service_unavailable || message.contains("30"))
            value["data"] = {{"retryAfterSeconds", 30}};
        if (kind.http_status == 415) value["data"] = {{"mediaTypes", "application/json"}};
        if (&kind == &errors::filter_invalid_value) value["data"] = {{"filter", "status"}};
        value["metadata"] = example_metadata(draft.info.path_prefix + "/...");
        draft.examples[name] = json::object{
            {"summary", std::to_string(kind.service_code) + " " + std::string(kind.name)}, {"value", std::move(value)}};
    }
    return reference("examples", name);
}

json::object headers_of(unsigned status, bool has_etag = false) {
    json::object out;
    const auto one = [&out](std::string_view name) { out[name] = reference("headers", name); };
    for (const char* name : {"x-request-id", "x-correlation-id", "x-timestamp", "x-timezone", "x-version",
                             "x-repo-version", "x-custom-lang", "X-Response-Time", "X-RateLimit-Limit",
                             "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy"})
        one(name);
    if (status == 401) one("WWW-Authenticate");
    if (status == 415) one("Accept");
    if (status == 403 || status == 409 || status == 429 || status == 503) one("Retry-After");
    if (has_etag) one("ETag");
    return out;
}

// Describes the errors of one status, which service codes tell apart.
json::object error_response(unsigned status, const Kinds& kinds, Draft& draft) {
    std::string description;
    json::array codes;
    json::array names;
    json::object examples;
    for (const ErrorKind* kind : kinds) {
        description.append(description.empty() ? "" : "; ");
        description.append(std::to_string(kind->service_code)).append(" ").append(kind->name);
        if (std::ranges::find(codes, json::value(kind->service_code)) == codes.end())
            codes.push_back(kind->service_code);
        if (std::ranges::find(names, json::value(kind->name)) == names.end()) names.push_back(json::string(kind->name));
        const bool is_known = examples.contains(kind->name);
        examples[is_known ? std::string(kind->module) + "." + std::string(kind->name) : std::string(kind->name)] =
            example_of_error(*kind, draft);
    }
    const json::object narrowed{
        {"type", "object"}, {"properties", {{"statusCode", {{"enum", codes}}}, {"statusCodeKey", {{"enum", names}}}}}};
    const auto one_of = [&](std::string_view schema) {
        return json::object{{"allOf", json::array{reference("schemas", schema), narrowed}}};
    };
    return {{"description", description},
            {"headers", headers_of(status)},
            {"content",
             {{"application/json", {{"schema", one_of("Error")}, {"examples", std::move(examples)}}},
              {"application/problem+json", {{"schema", one_of("Problem")}}}}}};
}

json::object page_content() { return {{"text/html", {{"schema", schema_of_type("string")}}}}; }

// A browser gets a page with the same status, or, if the user can supply what is missing, the address of another page.
void add_page(json::object& response, unsigned status) {
    response.at("description").as_string().append("; for a browser that opens a page, a page");
    for (const auto& page : page_content()) response.at("content").as_object()[page.key()] = page.value();
    if (status == 401) response.at("headers").as_object()["Location"] = reference("headers", "Location");
}

json::object redirect() {
    json::object headers = headers_of(302);
    headers["Location"] = reference("headers", "Location");
    return {{"description", "A browser that opens a page is sent to where the user can supply what is missing"},
            {"headers", std::move(headers)},
            {"content", page_content()}};
}

// Creates one component per set of errors and shares it between operations. Its name reflects the widest scope with
// that set: all operations, those of one guard, or the first operation that uses it.
json::object refer_to_errors(unsigned status, Kinds kinds, const Kinds& common, const Operation& operation,
                             Draft& draft) {
    std::ranges::sort(kinds, {}, [](const ErrorKind* kind) { return std::tuple(kind->service_code, kind->name); });
    const bool for_browsers = operation.at_guarded_host;
    std::string& name = draft.error_sets[{for_browsers, status, kinds}];
    if (!name.empty()) return reference("responses", name);
    const auto all_in = [&](const Kinds& circle) {
        return std::ranges::all_of(
            kinds, [&](const ErrorKind* kind) { return std::ranges::find(circle, kind) != circle.end(); });
    };
    Kinds guarded = common;
    add(guarded, operation.access.errors);
    const std::string ending = "." + std::to_string(status);
    const std::string of_all = for_browsers ? "browser" : "any";
    const std::string of_guard = for_browsers ? operation.id : operation.access.name;
    for (const std::string& circle :
         {all_in(common) ? of_all : operation.id, all_in(guarded) ? of_guard : operation.id, operation.id}) {
        name = circle + ending;
        if (circle == operation.id || !draft.responses.contains(name)) break;
    }
    json::object response = error_response(status, kinds, draft);
    if (for_browsers) add_page(response, status);
    draft.responses[name] = std::move(response);
    return reference("responses", name);
}

// Lists add members to the metadata. A schema that allows no additional properties cannot be extended by reference, so
// it is written out in full.
json::object metadata_schema(const Operation& operation, Draft& draft) {
    if (!operation.describe_metadata) return reference("schemas", "Metadata");
    json::object out = operation.describe_metadata(draft.schemas);
    const std::string_view path = out.at("$ref").as_string();
    auto& page = draft.schemas.at(path.substr(path.rfind('/') + 1)).as_object();
    if (page.contains("additionalProperties")) return out;
    const auto& every = draft.schemas.at("Metadata").as_object();
    page["additionalProperties"] = false;
    for (const auto& [name, property] : every.at("properties").as_object())
        page.at("properties").as_object()[name] = property;
    for (const auto& name : every.at("required").as_array()) page.at("required").as_array().push_back(name);
    return out;
}

json::object envelope(const Operation& operation, std::string_view path, std::string_view message, Draft& draft) {
    json::object properties{{"statusCode", {{"type", "integer"}, {"const", operation.success_status}}},
                            {"message", {{"type", "string"}, {"description", "Localized message"}}},
                            {"metadata", metadata_schema(operation, draft)}};
    json::array required{"statusCode", "message", "metadata"};
    json::object example{{"statusCode", operation.success_status}, {"message", message}};
    json::object metadata = example_of(properties.at("metadata").as_object(), draft.schemas).as_object();
    for (auto& fact : example_metadata(path)) metadata[fact.key()] = std::move(fact.value());
    json::object media_type;
    if (operation.describe_data) {
        json::object data = operation.describe_data(draft.schemas);
        add_examples(media_type, data, draft.schemas);
        properties["data"] = std::move(data);
        required.emplace_back("data");
    }
    const auto whole = [&](json::value data) {
        json::object out = example;
        if (!data.is_null()) out["data"] = std::move(data);
        out["metadata"] = metadata;
        return out;
    };
    if (auto* several = media_type.if_contains("examples")) {
        for (auto& one : several->as_object()) one.value().at("value") = whole(one.value().at("value"));
    } else {
        auto* data = media_type.if_contains("example");
        media_type["example"] = whole(data != nullptr ? *data : json::value());
    }
    media_type["schema"] = json::object{{"type", "object"},
                                        {"additionalProperties", false},
                                        {"required", std::move(required)},
                                        {"properties", std::move(properties)}};
    return media_type;
}

// The only header of an operation that not all of its successful answers carry. Several operations have it, so it is a
// component.
constexpr std::string_view sometimes = "Consent-Grace";

json::object success(const Operation& operation, std::string_view path, Draft& draft) {
    const unsigned status = operation.no_content ? 204 : operation.success_status;
    json::object headers = headers_of(status, operation.has_etag);
    for (const auto& [name, text] : operation.answer_headers) {
        const bool is_shared = name == sometimes;
        json::object header{{"description", text}, {"required", !is_shared}, {"schema", {{"type", "string"}}}};
        if (is_shared) {
            draft.headers[name] = std::move(header);
            headers[name] = reference("headers", name);
        } else {
            headers[name] = std::move(header);
        }
    }
    json::object out{{"headers", std::move(headers)}};
    if (operation.no_content) {
        out["description"] = "Done; the response has no body";
    } else if (operation.raw) {
        const std::string type = operation.raw_content_type.empty() ? "application/json" : operation.raw_content_type;
        const bool is_json = type.ends_with("json");
        out["description"] = operation.summary;
        out["content"] = json::object{{type, {{"schema", schema_of_type(is_json ? "object" : "string")}}}};
    } else {
        const std::string_view message = draft.locales.text(Language::en, operation.message_key);
        out["description"] = message;
        out["content"] = json::object{{"application/json", envelope(operation, path, message, draft)}};
    }
    return out;
}

}  // namespace

json::object describe_responses(const Operation& operation, std::string_view path, Draft& draft) {
    const std::string status = operation.no_content ? "204" : std::to_string(operation.success_status);
    json::object out;
    draft.responses[operation.id + "." + status] = success(operation, path, draft);
    out[status] = reference("responses", operation.id + "." + status);
    if (operation.has_etag) {
        draft.responses["any.304"] = json::object{{"description", "Not modified since the response with this ETag"},
                                                  {"headers", headers_of(304, true)}};
        out["304"] = reference("responses", "any.304");
    }
    if (operation.at_guarded_host) {
        draft.responses["browser.302"] = redirect();
        out["302"] = reference("responses", "browser.302");
    }
    const Kinds common = common_errors(operation, draft.info);
    Kinds kinds = common;
    add(kinds, operation.access.errors);
    add(kinds, own_errors(operation));
    std::map<unsigned, Kinds> by_status;
    for (const ErrorKind* kind : kinds) by_status[kind->http_status].push_back(kind);
    for (const auto& [number, same] : by_status)
        out[std::to_string(number)] = refer_to_errors(number, same, common, operation, draft);
    return out;
}

}  // namespace consentry::http::openapi
