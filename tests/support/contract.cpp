#include "tests/support/contract.hpp"

#include <map>
#include <mutex>

#include <boost/json/parse.hpp>
#include <boost/url/decode_view.hpp>
#include <boost/url/parse_query.hpp>

#include "base/text.hpp"

namespace consentry::tests {
namespace {

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> out;
    while (!path.empty()) {
        path.remove_prefix(1);
        out.emplace_back(path.substr(0, path.find('/')));
        path.remove_prefix(out.back().size());
    }
    return out;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
    return std::ranges::equal(pattern, path, [](const std::string& wanted, const std::string& segment) {
        return wanted.starts_with('{') ? !segment.empty() : wanted == segment;
    });
}

// The service's own headers must be documented; standard HTTP headers need not be.
bool is_ours(std::string_view name) {
    return name.starts_with("x-")
               ? name != "x-content-type-options" && name != "x-frame-options"
               : name.starts_with("ratelimit") || name == "retry-after" || name == "www-authenticate" || name == "etag";
}

// Converts the text of a header or a query to the type that its schema expects.
json::value typed(const std::string& text, const json::object& schema) {
    const auto* type = schema.if_contains("type");
    if (type != nullptr && (*type == "integer" || *type == "boolean")) {
        boost::system::error_code not_json;
        json::value value = json::parse(text, not_json);
        if (!not_json) return value;
    }
    return json::string(text);
}

}  // namespace

std::shared_ptr<const Contract> Contract::of(const std::string& document) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<const Contract>> known;
    const std::lock_guard lock(mutex);
    auto& contract = known[document];
    if (!contract) contract = std::make_shared<const Contract>(json::parse(document));
    return contract;
}

Contract::Contract(json::value document) : document_(std::move(document)), checker_(document_) {
    for (const auto& path : document_.at("paths").as_object())
        routes_.push_back({split(path.key()), &path.value().as_object()});
    // Literal paths before patterns, as in the router.
    std::ranges::partition(routes_, [](const Route& route) {
        return std::ranges::none_of(route.segments,
                                    [](const std::string& segment) { return segment.starts_with('{'); });
    });
}

const json::object& Contract::resolve(const json::object& value) const {
    const auto* reference = value.if_contains("$ref");
    return reference == nullptr ? value : checker_.find(reference->as_string())->as_object();
}
const json::object& Contract::resolve(const json::value& value) const { return resolve(value.as_object()); }

const json::object* Contract::find_operation(std::string_view method, std::string_view path) const {
    const auto segments = split(path);
    const std::string wanted = method == "HEAD" ? "get" : to_lower_ascii(method);
    for (const Route& route : routes_)
        if (matches(route.segments, segments))
            if (const auto* operation = route.item->if_contains(wanted)) return &operation->as_object();
    return nullptr;
}

std::vector<std::string> Contract::complaints(std::string_view method, std::string_view target, std::string_view body,
                                              const Answer& answer) const {
    Complaints out;
    if (!target.starts_with('/') || method == "OPTIONS") return out;
    if (to_lower_ascii(method) == method) return out;  // method names are case-sensitive: "get" is not a method
    const std::string_view path = target.substr(0, target.find('?'));
    const auto* operation = find_operation(method, path);
    // The trailing slash of /docs/ is a convenience, not a documented path.
    if (operation == nullptr && answer.status < 400 && path == "/docs/") return out;
    // Keys of files and paths of tiles contain slashes, and OpenAPI cannot express the rest of a path.
    const bool has_rest = path.starts_with("/files/") || path.starts_with("/consent-log/tile/");
    if (operation == nullptr && answer.status < 400 && has_rest) return out;
    if (operation == nullptr) {
        check_unrouted(answer, out);
        return out;
    }
    const auto& responses = operation->at("responses").as_object();
    const auto* described = responses.if_contains(std::to_string(answer.status));
    if (described == nullptr) {
        // Refused by the reader before the operation is known.
        if (answer.status == 413 || answer.status == 414 || answer.status == 431)
            check_unrouted(answer, out);
        else
            out.push_back("status " + std::to_string(answer.status) + " is not documented");
        return out;
    }
    const auto& response = resolve(*described);
    check_headers(response.at("headers").as_object(), answer, out);
    if (method != "HEAD") check_body(response, answer, out);
    if (answer.status < 300)
        check_request(*operation, path.size() < target.size() ? target.substr(path.size() + 1) : "", body, out);
    return out;
}

void Contract::check_request(const json::object& operation, std::string_view query, std::string_view body,
                             Complaints& out) const {
    std::map<std::string, const json::object*> known;
    for (const auto& parameter : operation.at("parameters").as_array()) {
        const auto& described = resolve(parameter);
        if (described.at("in") == "query")
            known[std::string(described.at("name").as_string())] = &described.at("schema").as_object();
    }
    for (const auto& sent : boost::urls::parse_query(query).value()) {
        const std::string name(sent.key);
        const auto parameter = known.find(name);
        if (parameter == known.end()) {
            out.push_back("accepted the query " + name + ", which is not documented");
            continue;
        }
        boost::urls::encoding_opts form;
        form.space_as_plus = true;
        const boost::urls::decode_view decoded(sent.value, form);
        const std::string value(decoded.begin(), decoded.end());
        if (trim(value).empty()) continue;
        const auto* items = parameter->second->if_contains("items");
        const json::object& schema = items != nullptr ? items->as_object() : *parameter->second;
        for (const std::string& complaint : checker_.complaints(typed(value, schema), schema))
            out.push_back("accepted query " + name + ": " + complaint);
    }
    const auto* request = operation.if_contains("requestBody");
    if (request != nullptr && !resolve(*request).at("content").as_object().contains("application/json")) return;
    json::value sent = json::object{};
    if (!body.empty()) sent = json::parse(body);
    if (request == nullptr) {
        if (!sent.is_object() || !sent.get_object().empty()) out.push_back("accepted a body, which is not documented");
        return;
    }
    const auto& schema = resolve(*request).at("content").at("application/json").at("schema").as_object();
    for (const std::string& complaint : checker_.complaints(sent, schema)) out.push_back("accepted body: " + complaint);
}

void Contract::check_headers(const json::object& documented, const Answer& answer, Complaints& out) const {
    std::map<std::string, const json::object*> known;
    for (const auto& header : documented) {
        const std::string name = to_lower_ascii(header.key());
        const auto& described = resolve(header.value());
        known[name] = &described.at("schema").as_object();
        if (described.at("required").as_bool() && !answer.headers.contains(name))
            out.push_back("header " + name + " is missing");
    }
    for (const auto& [name, value] : answer.headers) {
        if (!is_ours(name)) continue;
        const auto schema = known.find(name);
        if (schema == known.end()) {
            out.push_back("header " + name + " is not documented");
            continue;
        }
        for (const std::string& complaint : checker_.complaints(typed(value, *schema->second), *schema->second))
            out.push_back("header " + name + ": " + complaint);
    }
}

void Contract::check_body(const json::object& response, const Answer& answer, Complaints& out) const {
    const auto* content = response.if_contains("content");
    if (content == nullptr) {
        if (!answer.body.empty()) out.push_back("has a body, which is not documented");
        return;
    }
    const auto header = answer.headers.find("content-type");
    const std::string type =
        header == answer.headers.end() ? "none" : header->second.substr(0, header->second.find(';'));
    const auto* media_type = content->as_object().if_contains(type);
    if (media_type == nullptr) {
        out.push_back("media type " + type + " is not documented");
        return;
    }
    const auto& schema = media_type->at("schema").as_object();
    const bool is_json = type.ends_with("json");
    if (is_json && answer.headers.contains("content-encoding")) return;
    for (std::string& complaint :
         checker_.complaints(is_json ? answer.json : json::value(json::string(answer.body)), schema))
        out.push_back(std::move(complaint));
}

void Contract::check_unrouted(const Answer& answer, Complaints& out) const {
    if (answer.status < 400) {
        out.push_back("answers " + std::to_string(answer.status) + ", but no such operation is documented");
        return;
    }
    if (answer.body.empty()) return;  // a HEAD answer
    const auto type = answer.headers.find("content-type");
    const bool problem = type != answer.headers.end() && type->second.starts_with("application/problem+json");
    const auto& schemas = document_.at("components").at("schemas");
    for (std::string& complaint :
         checker_.complaints(answer.json, schemas.at(problem ? "Problem" : "Error").as_object()))
        out.push_back(std::move(complaint));
}

}  // namespace consentry::tests
