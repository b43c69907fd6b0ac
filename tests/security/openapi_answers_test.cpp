// What the service answers is what its document says it answers.
#include <gtest/gtest.h>

#include "http/router.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

// Calls the service and holds each answer against the document.
class Journey {
public:
    Answer call(const std::string& method, const std::string& path, const json::object& body = {},
                const Headers& headers = {}) {
        const Answer answer = service.call(method, path, body.empty() ? std::string() : json::serialize(body), headers);
        compare(method, path, answer);
        return answer;
    }

    // `path` without its query; placeholders as the document writes them in `documented`.
    void compare(const std::string& method, const std::string& path, const Answer& answer,
                 const std::string& documented = {}) const {
        SCOPED_TRACE(method + " " + path + " " + answer.body);
        const std::string name = documented.empty() ? path.substr(0, path.find('?')) : documented;
        const auto* item = document.at("paths").as_object().if_contains(name);
        ASSERT_NE(item, nullptr);
        const auto* operation = item->as_object().if_contains(to_lower_ascii(method));
        ASSERT_NE(operation, nullptr);
        const auto* response = operation->at("responses").as_object().if_contains(std::to_string(answer.status));
        ASSERT_NE(response, nullptr) << "status " << answer.status << " is not documented";
        const auto& content = response->at("content").as_object();
        ASSERT_EQ(content.size(), 1U);
        const std::string type = answer.headers.at("content-type");
        EXPECT_EQ(type.substr(0, type.find(';')), content.begin()->key());
        const SchemaChecker checker(document);
        for (const std::string& complaint :
             checker.complaints(answer.json, content.begin()->value().at("schema").as_object()))
            ADD_FAILURE() << complaint;
        if (const auto* headers = response->as_object().if_contains("headers"))
            for (const auto& header : headers->as_object())
                EXPECT_TRUE(answer.headers.contains(to_lower_ascii(header.key()))) << header.key();
    }

    Service service;
    json::value document = service.get("/docs/json").json;
};

TEST(OpenApi, GreetingHealthAndKeys) {
    Journey t;
    for (const char* path : {"/api/hello", "/api/public/hello", "/api/health", "/api/health/live", "/api/health/ready",
                             "/.well-known/jwks.json", "/docs/json"})
        EXPECT_EQ(t.call("GET", path).status, 200U) << path;
}

TEST(OpenApi, ALoginWithTwoFactorFromSetUpToLogout) {
    Journey t;
    Person person = t.service.make_person();
    const json::object credentials{{"email", person.email}, {"password", person.password}, {"from", "website"}};
    const Answer login = t.call("POST", "/api/v1/user/login/credential", credentials);
    ASSERT_EQ(login.status, 200U);
    const Headers signed_in = bearer(login.text("data.tokens.accessToken"));
    EXPECT_EQ(t.call("GET", "/api/shared/user/2fa/status", {}, signed_in).status, 200U);
    const Answer setup = t.call("POST", "/api/v1/user/2fa/setup", {}, signed_in);
    person.secret = setup.text("data.secret");
    EXPECT_EQ(t.call("GET", "/api/shared/user/2fa/status", {}, signed_in).status, 200U) << "pending";
    const Answer enabled = t.call("POST", "/api/user/2fa/confirm", {{"code", t.service.code(person)}}, signed_in);
    ASSERT_EQ(enabled.status, 200U);
    EXPECT_EQ(t.call("GET", "/api/user/2fa/status", {}, signed_in).status, 200U) << "on";
    EXPECT_EQ(t.call("POST", "/api/user/2fa/backup/regenerate", {}, signed_in).status, 201U);

    const Answer challenged = t.call("POST", "/api/public/user/login/credential", credentials);
    const std::string challenge = challenged.text("data.challengeToken");
    EXPECT_EQ(t.call("POST", "/api/user/login/2fa", {{"challengeToken", challenge}, {"code", "000000"}}).status, 401U);
    const Answer verified =
        t.call("PATCH", "/api/user/login/2fa", {{"challengeToken", challenge}, {"code", t.service.next_code(person)}});
    ASSERT_EQ(verified.status, 200U);
    const Answer refreshed =
        t.call("POST", "/api/shared/user/refresh", {}, bearer(verified.text("data.tokens.refreshToken")));
    ASSERT_EQ(refreshed.status, 200U);
    const Headers again = bearer(refreshed.text("data.accessToken"));
    EXPECT_EQ(t.call("GET", "/api/shared/user/session/list", {}, again).status, 200U);
    EXPECT_EQ(t.call("GET", "/api/user/session/list?perPage=1", {}, again).status, 200U);
    EXPECT_EQ(t.call("DELETE", "/api/user/2fa", {{"code", t.service.next_code(person)}}, again).status, 200U);
    EXPECT_EQ(t.call("POST", "/api/shared/user/logout", {}, again).status, 200U);
}

TEST(OpenApi, AForcedSetUp) {
    Journey t;
    Person person = t.service.make_person();
    t.service.turn_two_factor_on(person);
    const auto admin = t.service.tokens_of(t.service.make_person(Role::admin));
    const std::string path = "/api/admin/user/update/" + person.id.text() + "/2fa/reset";
    const Answer reset = t.service.patch(path, {}, bearer(admin.access));
    ASSERT_EQ(reset.status, 200U);
    t.compare("PATCH", path, reset, "/api/admin/user/update/{userId}/2fa/reset");
    const Answer login = t.call("POST", "/api/user/login/credential",
                                {{"email", person.email}, {"password", person.password}, {"from", "mobile"}});
    ASSERT_EQ(login.status, 200U);
    person.secret = login.text("data.secret");
    const std::string challenge = login.text("data.challengeToken");
    EXPECT_EQ(t.call("POST", "/api/user/login/2fa/enable",
                     {{"challengeToken", challenge}, {"code", t.service.next_code(person)}})
                  .status,
              200U);
}

TEST(OpenApi, Refusals) {
    Journey t;
    const auto tokens = t.service.tokens_of(t.service.make_person());
    const Headers signed_in = bearer(tokens.access);
    EXPECT_EQ(t.call("GET", "/api/shared/user/2fa/status").status, 401U);
    EXPECT_EQ(t.call("POST", "/api/shared/user/refresh", {}, signed_in).status, 401U);
    EXPECT_EQ(t.call("POST", "/api/user/login/credential", {{"email", "x"}, {"more", 1}}).status, 422U);
    EXPECT_EQ(t.call("GET", "/api/user/session/list?perPage=0", {}, signed_in).status, 422U);
    EXPECT_EQ(t.call("GET", "/api/user/session/list?more=0", {}, signed_in).status, 422U);
    EXPECT_EQ(t.call("POST", "/api/user/2fa/confirm", {{"code", "000000"}}, signed_in).status, 400U);
    EXPECT_EQ(t.call("DELETE", "/api/user/2fa", {{"code", "000000"}}, signed_in).status, 400U);
    EXPECT_EQ(t.call("POST", "/api/user/2fa/backup/regenerate", {}, signed_in).status, 400U);
    EXPECT_EQ(t.call("POST", "/api/user/login/2fa", {{"challengeToken", "x"}, {"code", "000000"}}).status, 401U);
    const std::string documented = "/api/user/session/revoke/{sessionId}";
    for (const auto& [id, status] : {std::pair{"01890000-0000-7000-8000-000000000000", 404U}, {"x", 400U}}) {
        const std::string path = std::string("/api/user/session/revoke/") + id;
        const Answer answer = t.service.erase(path, {}, signed_in);
        EXPECT_EQ(answer.status, status);
        t.compare("DELETE", path, answer, documented);
    }
    const Answer not_json = t.service.call("POST", "/api/user/login/credential", "{");
    EXPECT_EQ(not_json.status, 400U);
    t.compare("POST", "/api/user/login/credential", not_json);
    const Answer not_typed =
        t.service.call("POST", "/api/user/login/credential", "{}", {{"Content-Type", "text/plain"}});
    EXPECT_EQ(not_typed.status, 415U);
    t.compare("POST", "/api/user/login/credential", not_typed);
    const Answer nobody = t.service.log_in("nobody@example.org", "Wrong-Password-1");
    t.compare("POST", "/api/public/user/login/credential", nobody);
    for (int i = 0; i < 5; ++i) t.service.log_in("nobody@example.org", "Wrong-Password-1");
    const Answer locked = t.service.log_in("nobody@example.org", "Wrong-Password-1");
    EXPECT_EQ(locked.status, 403U);
    t.compare("POST", "/api/public/user/login/credential", locked);
}

TEST(OpenApi, ALockedSecondFactor) {
    Journey t;
    Person person = t.service.make_person();
    t.service.turn_two_factor_on(person);
    const std::string challenge = t.service.challenge_of(person);
    Answer answer;
    for (int i = 0; i < 6; ++i) {
        answer = t.service.verify(challenge, "000000");
        t.compare("POST", "/api/public/user/login/2fa/verify", answer);
    }
    EXPECT_EQ(answer.status, 429U);
    EXPECT_EQ(answer.headers.at("retry-after"), std::to_string(answer.number("data.retryAfterSeconds")));
}

TEST(OpenApi, TheCheckerItselfComplains) {
    const json::value document{{"a", {{"type", "string"}, {"minLength", 2}}}};
    const SchemaChecker checker(document);
    const auto count = [&](const json::value& value, const json::object& schema) {
        return checker.complaints(value, schema).size();
    };
    EXPECT_EQ(count("x", {{"$ref", "#/a"}}), 1U);
    EXPECT_EQ(count("xy", {{"$ref", "#/a"}}), 0U);
    EXPECT_EQ(count("xy", {{"$ref", "#/b"}}), 1U);
    EXPECT_EQ(count(1, {{"type", "string"}}), 1U);
    EXPECT_EQ(count(1.5, {{"type", "integer"}}), 1U);
    EXPECT_EQ(count(1, {{"const", 2}}), 1U);
    EXPECT_EQ(count("a", {{"enum", {"b"}}}), 1U);
    EXPECT_EQ(count("a", {{"pattern", "^[0-9]$"}}), 1U);
    EXPECT_EQ(count("a", {{"format", "uuid"}}), 1U);
    EXPECT_EQ(count("2026-01-01", {{"format", "date-time"}}), 1U);
    EXPECT_EQ(count("2026-01-01T00:00:00.000Z", {{"format", "date-time"}}), 0U);
    EXPECT_EQ(count({{"x", 1}}, {{"required", {"y"}}}), 1U);
    EXPECT_EQ(count({{"x", 1}}, {{"properties", {{"x", {{"type", "string"}}}}}}), 1U);
    EXPECT_EQ(count({{"x", 1}}, {{"properties", json::object{}}, {"additionalProperties", false}}), 1U);
    EXPECT_EQ(count(json::array{1, "x"}, {{"items", {{"type", "string"}}}}), 1U);
    EXPECT_EQ(count(1, {{"allOf", {json::object{{"type", "string"}}, json::object{{"const", 2}}}}}), 2U);
    EXPECT_EQ(count(1, {{"oneOf", json::array{}}}), 1U) << "an unknown keyword";
    EXPECT_EQ(count(1, {{"minimum", 2}}), 1U);
}

}  // namespace
}  // namespace consentry::tests
