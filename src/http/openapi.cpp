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

// The operation at all its paths, by all its methods.
void add_paths(const Operation& operation, const Router& router, json::object& paths, openapi::Draft& draft) {
    const std::vector<std::string> full_paths = router.full_paths(operation);
    const std::string documented = template_of(full_paths.front());
    const json::object main = openapi::describe_operation(operation, documented, draft);
    std::vector<Method> methods{operation.method};
    methods.insert(methods.end(), operation.other_methods.begin(), operation.other_methods.end());
    for (std::size_t path = 0; path < full_paths.size(); ++path) {
        if (full_paths[path].ends_with('/')) continue;  // for people who type, not for programs
        auto& item = paths[template_of(full_paths[path])];
        if (item.is_null()) item = json::object{};
        for (const Method method : methods) {
            json::object described = main;
            if (path > 0 || method != operation.method) {
                // operationIds are unique.
                std::string id = operation.id;
                if (method != operation.method) id.append("By").append(name_of(method));
                if (path > 0) id.append(std::to_string(path + 1));
                described["operationId"] = std::move(id);
                described["summary"] = "The same as " + std::string(name_of(operation.method)) + " " + documented;
                described["tags"] = json::array{json::string(alias_tag)};
                described.erase("description");
            }
            item.as_object()[lower_method(method)] = std::move(described);
        }
    }
}

json::array tags_of(const Router& router, const OpenApiInfo& info) {
    std::set<std::string_view> used;
    for (const auto& operation : router.operations()) used.insert(operation->tag);
    json::array out;
    for (const auto& [name, description] : info.tags)
        if (used.erase(name) > 0) out.push_back(json::object{{"name", name}, {"description", description}});
    for (const auto name : used) out.push_back(json::object{{"name", name}});
    out.push_back(json::object{{"name", alias_tag}, {"description", "Other paths of the operations above"}});
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
    for (const auto& operation : router.operations()) add_paths(*operation, router, paths, draft);
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

}  // namespace consentry::http
