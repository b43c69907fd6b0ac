#include "http/openapi.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "http/openapi/draft.hpp"

namespace consentry::http {
namespace {

namespace json = boost::json;

constexpr std::string_view alias_tag = "alias";

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

// Another path or method of an operation.
struct Alias {
    std::string id;
    Method method;
    std::string path;
};

std::vector<Alias> aliases_of(const Operation& operation, const Router& router) {
    std::vector<Method> methods{operation.method};
    methods.insert(methods.end(), operation.other_methods.begin(), operation.other_methods.end());
    const std::vector<std::string> paths = router.full_paths(operation);
    std::vector<Alias> out;
    for (std::size_t path = 0; path < paths.size(); ++path) {
        if (paths[path].ends_with('/')) continue;  // a convenience for people typing, not part of the API
        for (const Method method : methods) {
            if (path == 0 && method == operation.method) continue;
            // operationIds are unique.
            std::string id = operation.id;
            if (method != operation.method) id.append("By").append(name_of(method));
            if (path > 0) id.append(std::to_string(path + 1));
            out.push_back({std::move(id), method, template_of(paths[path])});
        }
    }
    return out;
}

json::object& item_at(json::object& paths, std::string_view path) {
    json::value& item = paths[path];
    if (item.is_null()) item = json::object{};
    return item.as_object();
}

// Adds the operation at its first path, then its aliases.
void add_operation(const Operation& operation, const Router& router, json::object& paths, openapi::Draft& draft) {
    const std::string path = template_of(router.full_paths(operation).front());
    const std::string route = std::string(name_of(operation.method)) + " " + path;
    const std::vector<Alias> aliases = aliases_of(operation, router);
    const json::object described = openapi::describe_operation(operation, path, draft);
    json::object main = described;
    json::array routes;
    for (const Alias& alias : aliases)
        routes.push_back(json::string(std::string(name_of(alias.method)) + " " + alias.path));
    if (!routes.empty()) main["x-aliases"] = std::move(routes);
    item_at(paths, path)[lower_method(operation.method)] = std::move(main);
    for (const Alias& alias : aliases) {
        json::object other = described;
        other["operationId"] = alias.id;
        other["summary"] = "Alias of " + route;
        other["tags"] = json::array{json::string(alias_tag)};
        other.erase("description");
        item_at(paths, alias.path)[lower_method(alias.method)] = std::move(other);
    }
}

bool is_alias(const json::value& operation) { return operation.at("tags").as_array().front().as_string() == alias_tag; }

json::array tags_of(const Router& router, const OpenApiInfo& info) {
    std::set<std::string_view> used;
    for (const auto& operation : router.operations()) used.insert(operation->tag);
    json::array out;
    for (const auto& [name, description] : info.tags)
        if (used.erase(name) > 0) out.push_back(json::object{{"name", name}, {"description", description}});
    for (const auto name : used) out.push_back(json::object{{"name", name}});
    out.push_back(
        json::object{{"name", alias_tag}, {"description", "Other paths and methods of the operations above"}});
    return out;
}

}  // namespace

json::object openapi_document(const Router& router, const Locales& locales, const OpenApiInfo& info) {
    openapi::Draft draft{.locales = locales,
                         .info = info,
                         .schemas = {},
                         .parameters = {},
                         .headers = {},
                         .request_bodies = {},
                         .responses = {},
                         .examples = {},
                         .security_schemes = {},
                         .error_sets = {}};
    openapi::add_shared_components(draft);
    json::object paths;
    for (const auto& operation : router.operations()) add_operation(*operation, router, paths, draft);
    json::object about{{"title", info.title},
                       {"version", info.version},
                       {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}};
    if (!info.description.empty()) about["description"] = info.description;
    return {{"openapi", "3.1.0"},
            {"info", std::move(about)},
            {"servers", {{{"url", info.server_url}}}},
            {"tags", tags_of(router, info)},
            {"paths", std::move(paths)},
            {"components",
             {{"schemas", std::move(draft.schemas)},
              {"parameters", std::move(draft.parameters)},
              {"headers", std::move(draft.headers)},
              {"requestBodies", std::move(draft.request_bodies)},
              {"responses", std::move(draft.responses)},
              {"examples", std::move(draft.examples)},
              {"securitySchemes", std::move(draft.security_schemes)}}}};
}

void leave_out_aliases(json::object& document) {
    json::object& paths = document.at("paths").as_object();
    json::object kept;
    for (auto& path : paths)
        for (auto& operation : path.value().as_object())
            if (!is_alias(operation.value())) item_at(kept, path.key())[operation.key()] = std::move(operation.value());
    paths = std::move(kept);
    json::array& tags = document.at("tags").as_array();
    const auto alias =
        std::ranges::find_if(tags, [](const json::value& tag) { return tag.at("name").as_string() == alias_tag; });
    if (alias != tags.end()) tags.erase(alias);
}

}  // namespace consentry::http
