#include "http/router.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"

namespace consentry::http {
namespace {

std::vector<std::string> segments_of(std::string_view path) {
    const auto parts = split(path.substr(1), '/');
    return {parts.begin(), parts.end()};
}

bool matches(const std::vector<std::string>& pattern, bool rest, std::string_view path,
             std::vector<NamedText>& params) {
    params.clear();
    for (const std::string& segment : pattern) {
        if (path.empty() || path.front() != '/') return false;
        path.remove_prefix(1);
        if (rest && &segment == &pattern.back()) {
            params.push_back({segment.substr(1), std::string(path)});
            return true;
        }
        const std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(part.size());
        if (segment.front() == ':') {
            if (part.empty()) return false;
            params.push_back({segment.substr(1), std::string(part)});
        } else if (segment != part) {
            return false;
        }
    }
    return path.empty();
}

}  // namespace

Router::Router(RouterOptions options) : options_(std::move(options)) {}

Endpoint Router::declare(Method method, std::string_view path) {
    auto& operation = operations_.emplace_back(std::make_unique<Operation>());
    operation->method = method;
    operation->paths.emplace_back(path);
    return {*this, *operation};
}

Endpoint Router::page(Method method, std::string_view path) {
    auto& operation = pages_.emplace_back(std::make_unique<Operation>());
    operation->method = method;
    operation->paths.emplace_back(path);
    operation->outside_prefix = true;
    operation->api_key = ApiKeyDemand::none;
    operation->is_page = true;
    operation->raw = true;
    return {*this, *operation};
}

Endpoint& Endpoint::also_by_any_method() {
    operation_.any_method = true;
    for (const Method method :
         {Method::get, Method::post, Method::put, Method::patch, Method::delete_, Method::options})
        if (method != operation_.method) also_by(method);
    return *this;
}

const std::any& Router::find_provided(const std::type_index& type) const {
    const auto found = provided_.find(type);
    if (found == provided_.end())
        throw std::logic_error(std::string("router: no guard provided of type ") + type.name());
    return found->second;
}

std::vector<std::string> Router::full_paths(const Operation& operation) const {
    std::vector<std::string> out;
    for (const std::string& path : operation.paths) {
        if (operation.outside_prefix) {
            out.push_back(path);
            continue;
        }
        std::vector<std::string> own = roots();
        if (!operation.unversioned) std::ranges::reverse(own);
        for (const std::string& root : own) out.push_back(root + path);
    }
    return out;
}

std::vector<std::string> Router::roots() const {
    std::vector<std::string> out{options_.global_prefix};
    if (options_.versioning) out.push_back(options_.global_prefix + "/" + options_.version_prefix + options_.version);
    return out;
}

void Router::finish() {
    for (const auto& operation : operations_) {
        const std::string& path = operation->paths.front();
        if (!operation->handler) throw std::logic_error("router: no handler for " + path);
        if (operation->id.empty() || operation->summary.empty() || operation->tag.empty())
            throw std::logic_error("router: no id, summary or tag for " + path);
        if (!operation->raw && !operation->no_content && operation->message_key.empty())
            throw std::logic_error("router: no message for " + path);
        if (operation->method == Method::delete_ && !operation->no_content && !operation->raw &&
            !operation->describe_data)
            throw std::logic_error("router: a DELETE without data answers NoContent: " + path);
        for (const std::string& own : operation->paths)
            if ((own + "/").starts_with("/system/") && operation->api_key != ApiKeyDemand::system)
                throw std::logic_error("router: for systems, but not with_system_key(): " + own);
        enter(*operation);
    }
    for (const auto& page : pages_) enter(*page);
}

// Enters all paths of an operation into the table.
void Router::enter(Operation& operation) {
    for (const std::string& full : full_paths(operation)) {
        Entry* entry = nullptr;
        if (full.find("/:") == std::string::npos) {
            entry = &exact_[full];
        } else {
            const auto segments = segments_of(full);
            const auto known = std::ranges::find(patterns_, segments, &Entry::segments);
            entry = known != patterns_.end() ? &*known
                                             : &patterns_.emplace_back(Entry{segments, operation.rest_of_path, {}});
        }
        std::vector<Method> methods{operation.method};
        methods.insert(methods.end(), operation.other_methods.begin(), operation.other_methods.end());
        for (const Method method : methods) {
            if (std::ranges::find(entry->by_method, method, &std::pair<Method, Operation*>::first) !=
                entry->by_method.end())
                throw std::logic_error("router: declared twice: " + full);
            entry->by_method.emplace_back(method, &operation);
        }
    }
}

Router::Match Router::pick(const Entry& entry, Method method) {
    Match out;
    out.path_known = true;
    // HEAD is GET without the body (RFC 9110 section 9.3.2).
    const Method wanted = method == Method::head ? Method::get : method;
    for (const auto& [candidate, operation] : entry.by_method)
        if (candidate == wanted || (wanted == Method::other && operation->any_method)) out.operation = operation;
    if (out.operation == nullptr) {
        for (const auto& [candidate, operation] : entry.by_method) {
            out.allow.append(out.allow.empty() ? "" : ", ").append(name_of(candidate));
            if (candidate == Method::get) out.allow.append(", HEAD");
        }
        out.allow.append(", OPTIONS");
    }
    return out;
}

Router::Match Router::find(Method method, std::string_view path) const {
    if (const auto exact = exact_.find(path); exact != exact_.end()) return pick(exact->second, method);
    Match known;
    std::vector<NamedText> params;
    for (const Entry& entry : patterns_) {
        if (!matches(entry.segments, entry.rest, path, params)) continue;
        Match match = pick(entry, method);
        match.params = params;
        if (match.operation != nullptr) return match;
        known = std::move(match);
    }
    return known;
}

}  // namespace consentry::http
