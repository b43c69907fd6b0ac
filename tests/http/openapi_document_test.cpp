// The document at /docs/json and the router describe the same operations (AUT-1).
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "http/operation.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Documented {
    Service& service = suite_service();
    Answer answer = service.get("/docs/json?aliases=true");
    const json::object& document = answer.json.as_object();
    const json::object& paths = document.at("paths").as_object();

    // Returns the target of a reference, or the value itself if it is not a reference.
    const json::object& resolve(const json::value& value) const {
        const auto* reference = value.as_object().if_contains("$ref");
        return reference == nullptr ? value.as_object()
                                    : SchemaChecker(answer.json).find(reference->as_string())->as_object();
    }

    // Calls visit(path, method, operation) for each documented operation.
    template <class Visit>
    void each(Visit visit) const {
        for (const auto& path : paths)
            for (const auto& method : path.value().as_object())
                visit(std::string(path.key()), std::string(method.key()), method.value().as_object());
    }
};

// Converts "/user/:userId" to "/user/{userId}".
std::string documented_path(const std::string& path) {
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] != ':') {
            out.push_back(path[i]);
            continue;
        }
        const auto end = std::min(path.find('/', i), path.size());
        out.append("{").append(path, i + 1, end - i - 1).append("}");
        i = end - 1;
    }
    return out;
}

// Maps "get /api/hello", for every path and method of the router, to its operation.
std::map<std::string, const http::Operation*> routes(Service& service) {
    std::map<std::string, const http::Operation*> out;
    const http::Router& router = service.app().router();
    for (const auto& operation : router.operations()) {
        std::vector<http::Method> methods{operation->method};
        methods.insert(methods.end(), operation->other_methods.begin(), operation->other_methods.end());
        for (const std::string& path : router.full_paths(*operation))
            for (const auto method : methods)
                // The router also serves "/docs/", for people who type the address. It is not documented.
                if (!path.ends_with('/'))
                    out[to_lower_ascii(name_of(method)) + " " + documented_path(path)] = operation.get();
    }
    return out;
}

void for_each_reference(const json::value& value, const std::function<void(std::string_view)>& visit) {
    if (const auto* object = value.if_object()) {
        for (const auto& member : *object) {
            if (member.key() == "$ref") visit(member.value().as_string());
            for_each_reference(member.value(), visit);
        }
    } else if (const auto* array = value.if_array()) {
        for (const auto& element : *array) for_each_reference(element, visit);
    }
}

TEST(AUT_1, TheDocumentListsExactlyTheRoutes) {
    Documented t;
    EXPECT_EQ(t.document.at("openapi"), "3.1.0");
    std::set<std::string> in_router;
    for (const auto& route : routes(t.service)) in_router.insert(route.first);
    std::set<std::string> in_document;
    t.each([&](const std::string& path, const std::string& method, const json::object&) {
        in_document.insert(method + " " + path);
    });
    EXPECT_EQ(in_document, in_router);
    EXPECT_GT(in_router.size(), 60U);
}

TEST(AUT_1, TheDocumentNamesOnlyPathsThatThereAre) {
    const Answer with_versions = suite_service().get("/docs/json");
    EXPECT_THAT(with_versions.text("info.description"), HasSubstr("with and without the version"));
    EXPECT_THAT(with_versions.body, HasSubstr(R"("path":"/api/v1/...")"));
    const Service service({{"URL_VERSIONING_ENABLE", "false"}, {"HTTP_GLOBAL_PREFIX", "/auth"}});
    const Answer without = service.get("/docs/json");
    EXPECT_THAT(without.text("info.description"), Not(HasSubstr("version")));
    EXPECT_THAT(without.body, AllOf(HasSubstr(R"("path":"/auth/...")"), Not(HasSubstr("/v1/"))));
}

// Without aliases, the document has each operation once, at its first path, which names the other paths and methods.
TEST(AUT_1, AnOperationStandsAtItsFirstPathAndNamesTheOthers) {
    Documented t;
    const Answer answer = t.service.get("/docs/json");
    const json::object& shown = answer.json.as_object();
    std::map<std::string, std::set<std::string>> aliases;  // by operationId, as the router knows them
    for (const auto& [route, operation] : routes(t.service)) {
        const std::string first = to_lower_ascii(name_of(operation->method)) + " " +
                                  documented_path(t.service.app().router().full_paths(*operation).front());
        auto& others = aliases[operation->id];
        if (route != first) others.insert(route);
    }
    std::size_t operations = 0;
    for (const auto& path : shown.at("paths").as_object())
        for (const auto& method : path.value().as_object()) {
            SCOPED_TRACE(std::string(method.key()) + " " + std::string(path.key()));
            const auto& operation = method.value().as_object();
            const std::string id(operation.at("operationId").as_string());
            ASSERT_TRUE(aliases.contains(id)) << id;
            std::set<std::string> named;
            if (const auto* list = operation.if_contains("x-aliases"))
                for (const auto& alias : list->as_array()) {
                    const std::string text(alias.as_string());
                    const auto space = text.find(' ');
                    named.insert(to_lower_ascii(text.substr(0, space)) + text.substr(space));
                }
            EXPECT_EQ(named, aliases.at(id));
            EXPECT_TRUE(method.value() == t.paths.at(path.key()).at(method.key())) << "the same in the full document";
            EXPECT_LT(json::serialize(operation).size(), 4'000U) << "fits a screen";
            ++operations;
        }
    EXPECT_EQ(operations, aliases.size());
    EXPECT_TRUE(shown.at("components") == t.document.at("components"));
    for (const auto& tag : shown.at("tags").as_array()) EXPECT_NE(tag.at("name"), "alias");
    EXPECT_EQ(t.service.get("/docs/json?aliases=false").body, answer.body);
    EXPECT_EQ(t.service.get("/docs/json?aliases=yes").status, 422U);
}

// Clients generated from the document call these paths, and the guides use them.
TEST(AUT_1, FirstPathsAreThoseOfTheContract) {
    Documented t;
    const json::value shown = t.service.get("/docs/json").json;
    for (const auto& [method, path] : std::vector<std::pair<std::string, std::string>>{
             {"post", "/user/login/credential"},
             {"post", "/user/login/social/google"},
             {"post", "/user/login/social/apple"},
             {"post", "/user/login/2fa"},
             {"post", "/public/user/login/2fa/enable"},
             {"get", "/shared/user/2fa/status"},
             {"post", "/user/2fa/setup"},
             {"post", "/user/2fa/confirm"},
             {"post", "/user/2fa/backup/regenerate"},
             {"delete", "/user/2fa"},
             {"patch", "/admin/user/update/{userId}/2fa/reset"},
             {"patch", "/shared/user/change-password"},
             {"put", "/public/user/password/reset"},
             {"get", "/term-policy/list"},
             {"post", "/term-policy/generate/content/presign"},
             {"post", "/term-policy/create"},
             {"put", "/term-policy/update/{termPolicyId}/content/add"},
             {"put", "/term-policy/update/{termPolicyId}/content/update"},
             {"delete", "/term-policy/update/{termPolicyId}/content/remove"},
             {"post", "/term-policy/get/{termPolicyId}/content/{language}"},
             {"patch", "/term-policy/publish/{termPolicyId}"},
             {"delete", "/term-policy/delete/{termPolicyId}"},
             {"post", "/user/term-policy/accept"},
             {"get", "/user/term-policy/list/accepted"}}) {
        const auto* item = shown.at("paths").as_object().if_contains("/api/v1" + path);
        EXPECT_TRUE(item != nullptr && item->as_object().contains(method)) << method << " " << path;
    }
}

// Strict clients distinguish the shapes of a login answer by these constants.
TEST(AUT_1, TheShapesOfALoginAreToldApartByConstants) {
    const Documented t;
    const auto& schemas = t.document.at("components").at("schemas").as_object();
    const auto& shapes = schemas.at("UserLoginResponseDto").at("oneOf").as_array();
    std::vector<json::object> members;
    for (const auto& shape : shapes) {
        const auto& schema = t.resolve(shape);
        EXPECT_EQ(schema.at("additionalProperties"), false);
        members.push_back(schema.at("properties").as_object());
    }
    ASSERT_EQ(members.size(), 3U);
    for (std::size_t i = 0; i < members.size(); ++i) EXPECT_EQ(members[i].at("isTwoFactorRequired").at("const"), i > 0);
    EXPECT_TRUE(members[0].contains("tokens"));
    EXPECT_FALSE(members[0].contains("challengeToken"));
    EXPECT_FALSE(members[1].contains("tokens"));
    EXPECT_EQ(members[1].at("isRequiredSetup").at("const"), false);
    EXPECT_EQ(members[2].at("isRequiredSetup").at("const"), true);
    EXPECT_FALSE(members[1].contains("secret"));
    EXPECT_TRUE(members[2].contains("secret"));
}

// The document describes a header once, however many answers carry it. Only headers of a single operation stay inline.
TEST(AUT_1, SharedHeadersAreDescribedOnce) {
    const Documented t;
    for (const auto& response : t.document.at("components").at("responses").as_object())
        for (const auto& header : response.value().at("headers").as_object())
            if (!header.key().starts_with("X-User-") && header.key() != "X-Session-Id")
                EXPECT_TRUE(header.value().as_object().contains("$ref")) << response.key() << " " << header.key();
}

TEST(AUT_1, EveryReferenceResolvesAndEverySchemaIsUsed) {
    const Documented t;
    const SchemaChecker checker(t.answer.json);
    std::set<std::string> used;
    for_each_reference(t.answer.json, [&](std::string_view reference) {
        EXPECT_NE(checker.find(reference), nullptr) << reference;
        used.emplace(reference);
    });
    for (const auto& schema : t.document.at("components").at("schemas").as_object())
        EXPECT_TRUE(used.contains("#/components/schemas/" + std::string(schema.key()))) << schema.key();
}

// The guard states its own requirements. Endpoints do not repeat them, so the two cannot contradict each other.
TEST(AUT_1, DescriptionsBeginWithWhatTheGuardDemands) {
    Documented t;
    const auto declared = routes(t.service);
    std::size_t permitted = 0;
    t.each([&](const std::string& path, const std::string& method, const json::object& operation) {
        SCOPED_TRACE(method + " " + path);
        if (!operation.contains("description")) return;  // an alias
        const http::Operation& own = *declared.at(method + " " + path);
        const std::string_view text = operation.at("description").as_string();
        EXPECT_TRUE(text.starts_with(own.access.demand)) << text;
        EXPECT_FALSE(own.description.starts_with("Requires the abilit")) << own.description;
        EXPECT_EQ(own.api_key == http::ApiKeyDemand::system, text.contains("Requires an API key of type `system`."))
            << text;
        if (!own.access.security_scheme.empty()) EXPECT_FALSE(own.access.demand.empty());
        if (own.access.name != "permitted") return;
        ++permitted;
        EXPECT_TRUE(text.starts_with("Requires the abilit")) << text;
    });
    EXPECT_GT(permitted, 20U);
    const std::string_view role_change =
        t.paths.at("/api/v1/admin/user/update/{userId}/role").at("put").at("description").as_string();
    EXPECT_TRUE(
        role_change.starts_with("Requires the abilities `user:read`, `user:update` and `role:read`. The login, or its "
                                "confirmation, must be at most five minutes old. "))
        << role_change;
}

TEST(AUT_1, OperationsAreNamedOnceAndDescribed) {
    const Documented t;
    std::set<std::string> ids;
    std::set<std::string> tags;
    for (const auto& tag : t.document.at("tags").as_array()) {
        tags.emplace(tag.at("name").as_string());
        EXPECT_TRUE(tag.as_object().contains("description"))
            << tag << ": say in src/app/api_description.cpp what the tag is about";
    }
    t.each([&](const std::string& path, const std::string& method, const json::object& operation) {
        SCOPED_TRACE(method + " " + path);
        EXPECT_TRUE(ids.emplace(operation.at("operationId").as_string()).second)
            << operation.at("operationId").as_string();
        EXPECT_FALSE(operation.at("summary").as_string().empty());
        const bool is_alias = operation.at("tags").as_array().front() == "alias";
        EXPECT_EQ(operation.contains("description"), !is_alias);
        ASSERT_FALSE(operation.at("tags").as_array().empty());
        for (const auto& tag : operation.at("tags").as_array())
            EXPECT_TRUE(tags.contains(std::string(tag.as_string()))) << tag;
        const auto& responses = operation.at("responses").as_object();
        for (const char* status : {"400", "408", "422", "429", "500", "503"})
            EXPECT_TRUE(responses.contains(status)) << status;
        for (const auto& reference : responses) {
            const auto& response = t.resolve(reference.value());
            EXPECT_FALSE(response.at("description").as_string().empty()) << reference.key();
            for (const char* header : {"x-request-id", "x-correlation-id", "x-timestamp", "x-custom-lang"})
                EXPECT_TRUE(response.at("headers").as_object().contains(header)) << reference.key() << header;
            if (reference.key() != "429" && reference.key() != "503") continue;
            EXPECT_TRUE(response.at("headers").as_object().contains("Retry-After"));
        }
    });
}

TEST(AUT_1, PlaceholdersOfPathsAreParameters) {
    const Documented t;
    t.each([&](const std::string& path, const std::string& method, const json::object& operation) {
        SCOPED_TRACE(method + " " + path);
        std::set<std::string> in_path;
        for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1))
            in_path.insert(path.substr(at + 1, path.find('}', at) - at - 1));
        std::set<std::string> declared;
        if (const auto* parameters = operation.if_contains("parameters"))
            for (const auto& reference : parameters->as_array()) {
                const auto& parameter = t.resolve(reference);
                if (parameter.at("in") != "path") continue;
                declared.emplace(parameter.at("name").as_string());
                EXPECT_EQ(parameter.at("required"), true);
            }
        EXPECT_EQ(declared, in_path);
    });
}

TEST(AUT_1, TheDocumentedSecurityIsTheGuardsOwn) {
    Documented t;
    const auto& schemes = t.document.at("components").at("securitySchemes").as_object();
    for (const auto& [route, operation] : routes(t.service)) {
        SCOPED_TRACE(route);
        const auto space = route.find(' ');
        const auto& described = t.paths.at(route.substr(space + 1)).at(route.substr(0, space)).as_object();
        const auto& security = described.at("security").as_array();
        const auto& responses = described.at("responses").as_object();
        // Each alternative requires exactly the guard's token. An API key accompanies none, one of two, or every
        // alternative.
        const std::string& token = operation->access.security_scheme;
        if (!operation->access.optional_scheme.empty()) continue;  // see AnOptionalTokenIsAnAlternative
        std::size_t with_key = 0;
        for (const auto& way : security) {
            json::object needed = way.as_object();
            with_key += needed.erase("xApiKey");
            EXPECT_EQ(needed.erase(token), token.empty() ? 0U : 1U);
            EXPECT_TRUE(needed.empty()) << way;
        }
        switch (operation->api_key) {
            case http::ApiKeyDemand::none:
                EXPECT_EQ(with_key, 0U);
                EXPECT_EQ(security.size(), token.empty() ? 0U : 1U);
                break;
            case http::ApiKeyDemand::as_configured:
                EXPECT_EQ(with_key, 1U);
                EXPECT_EQ(security.size(), 2U);
                break;
            case http::ApiKeyDemand::system:
                EXPECT_EQ(with_key, 1U);
                EXPECT_EQ(security.size(), 1U);
                break;
        }
        if (token.empty()) continue;
        EXPECT_TRUE(schemes.contains(token));
        const std::string& guard = operation->access.name;
        const bool is_provider = guard == "google" || guard == "apple";
        EXPECT_EQ(token, is_provider ? guard : std::string(guard == "refresh" ? "refreshToken" : "accessToken"));
        EXPECT_TRUE(responses.contains("401"));
        EXPECT_TRUE(responses.contains("403"));
    }
}

// A client that is generated from the document must be able to send the token that shows administrators more.
TEST(AUT_1, AnOptionalTokenIsAnAlternative) {
    const Documented t;
    const auto& operation = t.document.at("paths").at("/api/v1/term-policy/list").at("get");
    const json::array none;
    const json::array expected{
        json::object{}, {{"accessToken", none}}, {{"xApiKey", none}}, {{"accessToken", none}, {"xApiKey", none}}};
    EXPECT_EQ(operation.at("security"), json::value(expected));
    EXPECT_TRUE(operation.at("responses").as_object().contains("401"));
}

void for_each_object(const json::value& value, const std::function<void(const json::object&)>& visit) {
    if (const auto* object = value.if_object()) {
        visit(*object);
        for (const auto& member : *object)
            if (!member.key().starts_with("example")) for_each_object(member.value(), visit);
    } else if (const auto* array = value.if_array()) {
        for (const auto& element : *array) for_each_object(element, visit);
    }
}

// Generators of clients take an object without properties for an empty one, unless the schema says what it may contain.
TEST(AUT_1, AnObjectWithoutKnownMembersSaysThatItHasSome) {
    const Documented t;
    std::size_t free = 0;
    for_each_object(t.document, [&](const json::object& schema) {
        const auto* type = schema.if_contains("type");
        if (type == nullptr || *type != "object" || schema.contains("properties")) return;
        ++free;
        const auto* more = schema.if_contains("additionalProperties");
        EXPECT_TRUE(more != nullptr && *more != false) << schema;
    });
    EXPECT_GT(free, 10U);
    const auto& schemas = t.document.at("components").at("schemas").as_object();
    for (const char* name : {"FeatureFlagResponseDto", "FeatureFlagUpdateMetadataRequestDto"}) {
        const auto& metadata = schemas.at(name).at("properties").at("metadata").as_object();
        EXPECT_EQ(metadata.at("additionalProperties"),
                  json::value({{"type", json::array{"string", "number", "boolean"}}}))
            << name;
    }
}

TEST(AUT_1, ABodyIsRequiredWhereOneOfItsMembersIs) {
    const Documented t;
    const SchemaChecker checker(t.answer.json);
    t.each([&](const std::string& path, const std::string& method, const json::object& operation) {
        const auto* body = operation.if_contains("requestBody");
        if (body == nullptr) return;
        const auto& content = t.resolve(*body).at("content").as_object();
        if (!content.contains("application/json")) return;  // files: see upload_test.cpp and files_test.cpp
        const auto& schema = content.at("application/json").at("schema").as_object();
        const auto* target = &schema;
        if (const auto* reference = schema.if_contains("$ref"))
            target = &checker.find(reference->as_string())->as_object();
        EXPECT_EQ(t.resolve(*body).at("required").as_bool(), target->contains("required")) << method << " " << path;
        EXPECT_EQ(target->at("additionalProperties"), false) << method << " " << path;
    });
}

// Each error of a status has its own example.
TEST(AUT_1, ErrorsAreShownOneByOne) {
    const Documented t;
    std::size_t seen = 0;
    for (const auto& response : t.document.at("components").at("responses").as_object()) {
        const auto* content = response.value().as_object().if_contains("content");
        if (content == nullptr || !content->as_object().contains("application/problem+json")) continue;
        SCOPED_TRACE(std::string(response.key()));
        const auto& media_type = content->at("application/json").as_object();
        const auto& narrowed = media_type.at("schema").at("allOf").as_array().at(1).at("properties");
        const auto& codes = narrowed.at("statusCode").at("enum").as_array();
        const auto& names = narrowed.at("statusCodeKey").at("enum").as_array();
        for (const auto& example : media_type.at("examples").as_object()) {
            const auto& value = t.resolve(example.value()).at("value").as_object();
            EXPECT_NE(std::ranges::find(codes, value.at("statusCode")), codes.end()) << value;
            EXPECT_NE(std::ranges::find(names, value.at("statusCodeKey")), names.end()) << value;
            EXPECT_EQ(value.at("message").as_string().find('{'), std::string::npos) << value;
            ++seen;
        }
    }
    EXPECT_GT(seen, 40U);
}

// Every declared error is documented with its code, and only operations that declare a 404 document one.
TEST(AUT_1, DeclaredErrorsAreDocumentedWithTheirCodes) {
    Documented t;
    for (const auto& [route, operation] : routes(t.service)) {
        SCOPED_TRACE(route);
        const auto space = route.find(' ');
        const auto& responses =
            t.paths.at(route.substr(space + 1)).at(route.substr(0, space)).at("responses").as_object();
        auto declared = operation->errors;
        declared.insert(declared.end(), operation->access.errors.begin(), operation->access.errors.end());
        for (const ErrorKind* kind : declared) {
            const auto* response = responses.if_contains(std::to_string(kind->http_status));
            ASSERT_NE(response, nullptr) << kind->name;
            const std::string text(t.resolve(*response).at("description").as_string());
            EXPECT_TRUE(text.contains(std::to_string(kind->service_code) + " " + std::string(kind->name))) << text;
        }
        EXPECT_EQ(responses.contains("404"),
                  std::ranges::any_of(declared, [](const ErrorKind* kind) { return kind->http_status == 404; }));
    }
}

TEST(LOG_7, TheDocumentTellsNoSecretsAndCanBeClosed) {
    Service service;
    const std::string document = service.get("/docs/json").body;
    EXPECT_EQ(document.find(service.folder().string()), std::string::npos);
    EXPECT_EQ(document.find("PRIVATE KEY"), std::string::npos);
    const Service closed({{"DOC_ENABLE", "false"}});
    for (const char* path : {"/docs", "/docs/", "/docs/json", "/docs/assets/init.js"})
        EXPECT_EQ(closed.get(path).status, 404U) << path;
}

}  // namespace
}  // namespace consentry::tests
