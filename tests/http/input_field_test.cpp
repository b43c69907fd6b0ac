// Requests may contain only the declared names, with values of the declared types. The tests read the endpoints' own
// declarations, so they cover a new endpoint from the start.
#include <functional>
#include <set>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/identity_provider.hpp"
#include "tests/support/json_schema.hpp"

namespace consentry::tests {
namespace {

constexpr std::string_view security_fields[] = {"email", "password", "oldPassword", "newPassword",
                                                "token", "code",     "backupCode",  "challengeToken"};

// A valid value for a placeholder of a path.
std::string value_of(std::string_view placeholder) {
    if (placeholder == "language") return "en";
    if (placeholder == "type") return "termsOfService";
    if (placeholder == "version" || placeholder == "from") return "1";
    if (placeholder == "to") return "2";
    if (placeholder == "file") return "1.tsr";
    return "0190a000-0000-7000-8000-000000000000";
}

class InputFields : public ::testing::Test {
protected:
    struct Route {
        const http::Operation* operation;
        std::string method;
        std::string path;  // with placeholders replaced
        Headers headers;
        std::set<std::string> names;  // of the members of the body
        std::string body;             // a valid body, for operations that check it before the query
        std::string identifier;       // the first placeholder's value; empty: no placeholder, or the name of a file
        std::size_t identifier_at = 0;
    };

    // The first path of every operation, with the credentials of a caller who may use it.
    std::vector<Route> routes() {
        const auto& router = service.app().router();
        std::vector<Route> out;
        for (const auto& operation : router.operations()) {
            // Skips forward auth, whose path and query belong to another service, and files, where any path is a valid
            // key.
            if (operation->ignores_input || operation->rest_of_path) continue;
            Route route{operation.get(), std::string(name_of(operation->method)), "", {}, {}, {}, {}};
            std::string_view path = router.full_paths(*operation).front();
            const std::string whole = router.full_paths(*operation).front();
            path = whole;
            while (!path.empty()) {
                const auto colon = path.find("/:");
                route.path.append(path.substr(0, colon));
                if (colon == std::string_view::npos) break;
                path.remove_prefix(colon + 2);
                const std::string_view name = path.substr(0, path.find('/'));
                path.remove_prefix(name.size());
                route.path.append("/");
                // The consent log answers 404 for a file that it does not have, whatever its name.
                if (route.identifier.empty() && name != "file") {
                    route.identifier = value_of(name);
                    route.identifier_at = route.path.size();
                }
                route.path.append(value_of(name));
            }
            const std::string& access = operation->access.name;
            if (access == "admin" || access == "permitted") route.headers = bearer(admin_tokens.access);
            if (access == "user" || access == "consenting") route.headers = bearer(user_tokens.access);
            if (access == "refresh") route.headers = bearer(user_tokens.refresh);
            if (access == google || access == apple)
                route.headers = bearer(providers.token(service, access, "subject", access + "@example.org"));
            if (operation->api_key == http::ApiKeyDemand::system) route.headers.emplace_back("x-api-key", system_key);
            if (operation->takes_upload) {
                route.headers.emplace_back("content-type", "text/csv");
                route.body = "email\n";
            }
            if (operation->describe_body) {
                http::Components components;
                operation->describe_body(components);
                for (const auto& [name, schema] : components)
                    if (operation->describe_body(components).at("$ref").as_string().ends_with(name))
                        for (const auto& property : schema.at("properties").as_object())
                            route.names.emplace(property.key());
            }
            out.push_back(std::move(route));
        }
        return out;
    }
    Answer send(const Route& route, const std::string& body, const std::string& query = {}) {
        return service.call(route.method, route.path + query, body, route.headers);
    }

    IdentityProviders providers;
    Service service{providers.settings()};
    TokenTexts user_tokens = service.tokens_of(service.make_person());
    TokenTexts admin_tokens = service.tokens_of(service.make_person(Role::super_admin));
    std::string system_key = [&] {
        const Answer made = service.post("/api/admin/api-key/create", {{"name", "test"}, {"type", "system"}},
                                         bearer(admin_tokens.access));
        EXPECT_EQ(made.status, 201U) << made.body;
        return made.text("data.key") + ":" + made.text("data.secret");
    }();
};

bool names(const Answer& answer, std::string_view property) {
    if (!answer.has("errors")) return false;
    return std::ranges::any_of(answer.json.at("errors").as_array(),
                               [&](const json::value& item) { return item.at("property").as_string() == property; });
}

using INP_4 = InputFields;
using AUT_5 = InputFields;
using INP_6 = InputFields;
using INP_1 = InputFields;

TEST_F(INP_4, SecurityFieldsAreStringsAsSent) {
    int checked = 0;
    for (const Route& route : routes())
        for (const std::string_view field : security_fields) {
            if (!route.names.contains(std::string(field))) continue;
            for (const char* value : {"123456", "123456.0", "true", "false", "null", "[]", R"(["123456"])",
                                      R"({"$ne":null})", "{}", R"([{"a":"b"}])"}) {
                const Answer refused = send(route, "{\"" + std::string(field) + "\":" + value + "}");
                EXPECT_EQ(refused.status, 422U) << route.path << " " << field << " " << value << refused.body;
                EXPECT_EQ(refused.number("statusCode"), 5030);
                EXPECT_TRUE(names(refused, field)) << route.path << " " << field << " " << value << refused.body;
                ++checked;
            }
        }
    EXPECT_GE(checked, 120);
}

TEST_F(INP_4, CodesAreAsciiDigitsAndCapitalsOfTheRightLength) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> rows{
        {"code",
         {"", " 123456", "123456 ", "12345", "1234567", "12345\xEF\xBC\x96", "+12345", "12345a", "1_2345", "0x1234",
          "12 345", "-12345", "12345\\n", "\xD9\xA1\xD9\xA2\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6", "1e5000", "1.2345"}},
        {"backupCode",
         {"", "abcdefghij", "ABCDEFGHI", "ABCDEFGHIJK", "ABCDE-FGHI", "ABCDE FGHI", "ABCDEFGHI\xC3\x89", " ABCDEFGHI",
          "ABCDEFGHI\\n", "ABCDEFGHi1", "\xEF\xBC\xA1\xEF\xBC\xA2\xEF\xBC\xA3\xEF\xBC\xA4"}}};
    for (const Route& route : routes())
        for (const auto& [field, values] : rows) {
            if (!route.names.contains(field)) continue;
            for (const std::string& value : values) {
                const Answer refused = send(route, "{\"" + field + "\":\"" + value + "\"}");
                EXPECT_EQ(refused.status, 422U) << route.path << " " << value;
                EXPECT_TRUE(names(refused, field)) << route.path << " " << value << refused.body;
            }
        }
}

TEST_F(INP_4, QueriesHoldTheDeclaredNamesOnce) {
    for (const Route& route : routes()) {
        const Answer unknown = send(route, route.body, "?surprise=1&rights=admin");
        EXPECT_EQ(unknown.status, 422U) << route.path << unknown.body;
        EXPECT_TRUE(unknown.violates("surprise", "whitelistValidation")) << route.path;
        EXPECT_TRUE(unknown.violates("rights", "whitelistValidation")) << route.path;
        EXPECT_EQ(send(route, route.body, "?%73urprise=1").status, 422U)
            << route.path << ": decoded before it is compared";
        EXPECT_EQ(send(route, "", "?a=%zz").status, 400U) << route.path;
        EXPECT_EQ(send(route, "", "?a=%c0%af").status, 400U) << route.path;
    }
    const Answer twice = service.get("/api/user/session/list?perPage=1&perPage=2", bearer(user_tokens.access));
    EXPECT_EQ(twice.status, 422U);
    EXPECT_TRUE(twice.violates("perPage", "isUnique"));
}

TEST_F(AUT_5, ExtraPropertiesAreNamedAndReachNothing) {
    const std::string extra =
        R"({"role":"superAdmin","status":"active","isVerified":true,"id":"0190a000-0000-7000-8000-000000000000",)"
        R"("twoFactor":{"enabled":false},"attempt":0,"termPolicy":{},"__proto__":{},"constructor":1,"":1})";
    const auto users = service.sql("SELECT * FROM users");
    for (const Route& route : routes()) {
        if (route.method == "GET" || route.operation->takes_upload) continue;
        const Answer refused = send(route, extra);
        EXPECT_EQ(refused.status, 422U) << route.path << refused.body;
        EXPECT_EQ(refused.number("statusCode"), 5030);
        for (const char* name : {"role", "status", "isVerified", "id", "twoFactor", "attempt", "termPolicy",
                                 "__proto__", "constructor", ""})
            if (!route.names.contains(name))
                EXPECT_TRUE(refused.violates(name, "whitelistValidation")) << route.path << " " << name;
    }
    EXPECT_EQ(service.sql("SELECT * FROM users"), users);
}

TEST_F(AUT_5, NestedPropertiesAreNamedByTheirWholePath) {
    const std::string body = R"({"email":"a@example.org","password":"x","from":"website","device":{"fingerprint":"f",)"
                             R"("platform":"toaster","admin":true,"name":5}})";
    const Answer refused = service.call("POST", "/api/user/login/credential", body);
    EXPECT_EQ(refused.status, 422U);
    EXPECT_TRUE(refused.violates("device.admin", "whitelistValidation")) << refused.body;
    EXPECT_TRUE(refused.violates("device.platform", "isEnum")) << refused.body;
    EXPECT_TRUE(refused.violates("device.name", "isString")) << refused.body;
    EXPECT_EQ(refused.json.at("errors").as_array().size(), 3U) << "and nothing else";
    for (const char* device : {"[]", "\"x\"", "1", "true", "null", "{}"})
        EXPECT_EQ(service
                      .call("POST", "/api/user/login/credential",
                            std::string(R"({"email":"a@example.org","password":"x","device":)") + device + "}")
                      .status,
                  422U)
            << device;
}

TEST_F(AUT_5, IdentifiersInPathsAreJudgedAsSuch) {
    for (const Route& route : routes()) {
        if (route.identifier.empty()) continue;
        for (const char* id : {"x", "1", "0190a000-0000-7000-8000-00000000000", "0190a000-0000-7000-8000-0000000000000",
                               "0190a000%2d0000-7000-8000-000000000000", "..", "*", "%00"}) {
            Route bad = route;
            bad.path.replace(route.identifier_at, route.identifier.size(), id);
            const Answer refused = send(bad, "");
            EXPECT_EQ(refused.status, 400U) << bad.path << refused.body;
        }
        Route bad = route;
        bad.path.replace(route.identifier_at, route.identifier.size(), "x");
        const Answer refused = send(bad, "");
        EXPECT_EQ(refused.number("statusCode"), 5030);
        EXPECT_TRUE(refused.has("errors")) << "names the placeholder";
    }
}

struct Place {
    std::string property;
    json::object schema;
    std::function<json::value(json::value)> body;  // with the given value at the place, and nothing else
};

// Adds the places of all texts and lists, nested ones included.
void add_places(std::vector<Place>& out, const SchemaChecker& checker, const Place& at) {
    if (const auto* reference = at.schema.if_contains("$ref"))
        return add_places(out, checker, {at.property, checker.find(reference->as_string())->as_object(), at.body});
    if (const auto* properties = at.schema.if_contains("properties")) {
        const std::string outer = at.property.empty() ? "" : at.property + ".";
        for (const auto& [name, schema] : properties->as_object())
            add_places(out, checker,
                       {outer + std::string(name), schema.as_object(),
                        [inner = at.body, name = std::string(name)](json::value value) {
                            return inner(json::object{{name, std::move(value)}});
                        }});
        return;
    }
    const auto* type = at.schema.if_contains("type");
    if (type == nullptr || (*type != "string" && *type != "array")) return;
    out.push_back(at);
    if (*type == "array")
        add_places(out, checker,
                   {at.property + ".0", at.schema.at("items").as_object(),
                    [inner = at.body](json::value value) { return inner(json::array{std::move(value)}); }});
}

TEST_F(INP_1, TheDocumentAndTheServiceAgreeOnWhatIsEmpty) {
    int texts = 0;
    int lists = 0;
    for (const Route& route : routes()) {
        if (!route.operation->describe_body) continue;
        json::object components;
        const json::object schema = route.operation->describe_body(components);
        const json::value document{{"components", {{"schemas", components}}}};
        const SchemaChecker checker(document);
        std::vector<Place> places;
        add_places(places, checker, {"", schema, [](json::value value) { return value; }});
        for (const Place& place : places) {
            const bool is_list = place.schema.at("type") == "array";
            const json::value empty = is_list ? json::value(json::array{}) : json::value("");
            const Answer answer = send(route, json::serialize(place.body(empty)));
            EXPECT_EQ(names(answer, place.property), !checker.complaints(empty, place.schema).empty())
                << route.path << " " << place.property << " " << json::serialize(place.schema) << answer.body;
            ++(is_list ? lists : texts);
        }
    }
    EXPECT_GT(texts, 50);
    EXPECT_GT(lists, 5);
}

TEST_F(INP_6, ARefusedValueIsNeverRepeated) {
    const std::string canary = "cAnArY7x9";
    for (const Route& route : routes()) {
        if (route.method == "GET" || route.operation->takes_upload) continue;
        for (const std::string_view field : security_fields) {
            const std::string name = "{\"" + std::string(field) + "\":";
            for (const std::string& value : {"\"" + canary + "\"", "\"" + canary + "\\u0000\"", "[\"" + canary + "\"]",
                                             "{\"x\":\"" + canary + "\"}", "\"" + canary + std::string(600, 'x') + "\"",
                                             "\"" + canary, canary, "\"" + canary + "\",}"}) {
                const Answer refused = send(route, name + value + "}");
                EXPECT_TRUE(refused.status == 400 || refused.status == 401 || refused.status == 422)
                    << route.path << refused.status;
                EXPECT_FALSE(refused.body.contains(canary)) << route.path << " " << field << refused.body;
                for (const auto& header : refused.headers) EXPECT_FALSE(header.second.contains(canary)) << header.first;
            }
        }
        EXPECT_FALSE(send(route, "", "?token=" + canary + "&a=%" + canary).body.contains(canary)) << route.path;
    }
}

TEST_F(INP_6, ItemsHoldKeyPropertyAndMessageOnly) {
    const Answer refused = service.call("POST", "/api/user/login/credential", R"({"email":5,"password":[],"x":1})");
    ASSERT_EQ(refused.status, 422U);
    for (const json::value& item : refused.json.at("errors").as_array()) {
        EXPECT_EQ(item.as_object().size(), 3U);
        for (const char* name : {"key", "property", "message"}) EXPECT_TRUE(item.at(name).is_string());
    }
}

TEST_F(INP_1, WhatIsNotJsonIs400AndWhatBreaksARuleIs422) {
    const std::string valid = R"({"challengeToken":"x","code":"123456"})";
    for (const Route& route : routes()) {
        if (!route.operation->takes_body || route.operation->takes_upload) continue;
        for (const std::string& text :
             {std::string("{"), std::string("x"), valid + "x", valid + valid, "\xEF\xBB\xBF" + valid, valid + "/* c */",
              std::string("{'a':1}"), std::string("{\"a\":1,}"), std::string("{\"a\":1,\"a\":1}"),
              std::string("{\"code\":\"123456\",\"code\":\"654321\"}"), std::string("{\"a\":01}"),
              std::string("{\"a\":NaN}"), std::string("{\"a\":\"\x01\"}"), std::string(" ")}) {
            const Answer refused = send(route, text);
            EXPECT_EQ(refused.status, 400U) << route.path << text;
            EXPECT_EQ(refused.code_name(), "badRequest") << route.path << text;
        }
        for (const char* text : {"[]", "null", "1", "\"x\"", "true", "[{}]"}) {
            const Answer refused = send(route, text);
            EXPECT_EQ(refused.status, 422U) << route.path << text;
            EXPECT_EQ(refused.number("statusCode"), 5030);
        }
        Route typed = route;
        typed.headers.emplace_back("Content-Type", "text/plain");
        EXPECT_EQ(send(typed, valid).status, 415U) << route.path;
    }
}

}  // namespace
}  // namespace consentry::tests
