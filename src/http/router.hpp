// The routing table. Only declared routes exist.
#pragma once

#include <any>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "http/operation.hpp"

namespace consentry::http {

class Router;

// Builder for the declaration of one endpoint; see http/endpoint.hpp.
class Endpoint {
public:
    Endpoint(Router& router, Operation& operation) : router_(router), operation_(operation) {}

    Endpoint& also_at(std::string_view path) { return operation_.paths.emplace_back(path), *this; }
    Endpoint& also_by(Method method) { return operation_.other_methods.push_back(method), *this; }
    // Also matches every other method, including OPTIONS.
    Endpoint& also_by_any_method();
    // A last segment ":name" matches the rest of the path.
    Endpoint& with_rest_of_path() { return operation_.rest_of_path = true, *this; }
    Endpoint& ignores_input() { return operation_.ignores_input = true, *this; }
    Endpoint& reads_header(std::string_view name, std::string_view description) {
        return operation_.request_headers.push_back({name, description}), *this;
    }
    Endpoint& answers_header(std::string_view name, std::string_view description) {
        return operation_.answer_headers.push_back({name, description}), *this;
    }
    Endpoint& id(std::string_view id) { return operation_.id = id, *this; }
    Endpoint& tag(std::string_view tag) { return operation_.tag = tag, *this; }
    Endpoint& says(std::string_view summary) { return operation_.summary = summary, *this; }
    Endpoint& describes(std::string_view text) { return operation_.description = text, *this; }
    Endpoint& message(std::string_view key) { return operation_.message_key = key, *this; }
    Endpoint& answers(unsigned status) { return operation_.success_status = status, *this; }
    Endpoint& answers_with(std::string_view content_type) { return operation_.raw_content_type = content_type, *this; }
    Endpoint& with_etag() { return operation_.has_etag = true, *this; }
    Endpoint& may_fail(std::initializer_list<const ErrorKind*> kinds) {
        operation_.errors.assign(kinds);
        return *this;
    }
    // For a page, which has no signature that names its guard: the refusals that concern who sends the request.
    Endpoint& guard_may_refuse(std::initializer_list<const ErrorKind*> kinds) {
        operation_.access.errors.assign(kinds);
        return *this;
    }
    Endpoint& at_guarded_host() { return operation_.at_guarded_host = true, *this; }
    Endpoint& outside_prefix() { return operation_.outside_prefix = true, *this; }
    Endpoint& unversioned() { return operation_.unversioned = true, *this; }
    Endpoint& without_api_key() { return operation_.api_key = ApiKeyDemand::none, *this; }
    Endpoint& with_system_key() { return operation_.api_key = ApiKeyDemand::system, *this; }
    // For methods that stand for a change.
    Endpoint& changes_nothing() { return operation_.effect = Effect::nothing, *this; }
    Endpoint& exports_data() { return operation_.effect = Effect::exporting, *this; }
    Endpoint& behind_flag(std::string_view flag) { return operation_.feature_flag = flag, *this; }

    template <class Function>
    void handled_by(Function function);  // in http/endpoint.hpp
    template <class Function, class Check>
    void handled_by(Function function, Check check);
    // For a handler that reads and answers in its own way: a page.
    void handled_with(std::unique_ptr<OperationHandler> handler) { operation_.handler = std::move(handler); }

private:
    Router& router_;
    Operation& operation_;
};

struct RouterOptions {
    std::string global_prefix = "/api";
    bool versioning = true;
    std::string version_prefix = "v";
    std::string version = "1";
};

class Router {
public:
    explicit Router(RouterOptions options = {});
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;

    Endpoint get(std::string_view path) { return declare(Method::get, path); }
    Endpoint post(std::string_view path) { return declare(Method::post, path); }
    Endpoint put(std::string_view path) { return declare(Method::put, path); }
    Endpoint patch(std::string_view path) { return declare(Method::patch, path); }
    Endpoint erase(std::string_view path) { return declare(Method::delete_, path); }

    // Declares a page: at the root, without API key, and not in the API document.
    Endpoint page(Method method, std::string_view path);

    // Registers a guard. Must be called before declaring the endpoints that use it. The guard must outlive the router.
    template <class Guard>
    void provide(Guard& guard) {
        provided_.insert_or_assign(typeid(Guard), &guard);
    }
    // Throws std::logic_error if the guard was not registered.
    template <class Guard>
    Guard& provided() const {
        return *std::any_cast<Guard*>(find_provided(typeid(Guard)));
    }

    // Ends the declarations, validates them, and builds the table. Throws std::logic_error naming the first fault.
    void finish();

    struct Match {
        Operation* operation = nullptr;  // the endpoint
        bool path_known = false;         // the path exists with other methods, listed in `allow`
        std::string allow;
        std::vector<NamedText> params;
    };
    // Matches `path` byte by byte as sent, without decoding or merging slashes, so that guard and router cannot
    // disagree (AUT-2).
    Match find(Method method, std::string_view path) const;

    const std::vector<std::unique_ptr<Operation>>& operations() const { return operations_; }
    const std::vector<std::unique_ptr<Operation>>& pages() const { return pages_; }
    const RouterOptions& options() const { return options_; }
    // All full paths of an operation, the documented one first.
    std::vector<std::string> full_paths(const Operation& operation) const;
    // What paths inside the prefix begin with: the prefix, and the prefix with the version.
    std::vector<std::string> roots() const;

private:
    struct Entry {
        std::vector<std::string> segments;  // pattern segments: ":userId" matches one non-empty segment
        bool rest = false;                  // the last segment matches the rest of the path
        std::vector<std::pair<Method, Operation*>> by_method;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    Endpoint declare(Method method, std::string_view path);
    void enter(Operation& operation);
    const std::any& find_provided(const std::type_index& type) const;
    static Match pick(const Entry& entry, Method method);

    RouterOptions options_;
    std::vector<std::unique_ptr<Operation>> operations_;  // of the API
    std::vector<std::unique_ptr<Operation>> pages_;
    std::unordered_map<std::type_index, std::any> provided_;  // each a pointer to the key's type
    std::unordered_map<std::string, Entry, Hash, std::equal_to<>> exact_;
    std::vector<Entry> patterns_;
};

}  // namespace consentry::http
