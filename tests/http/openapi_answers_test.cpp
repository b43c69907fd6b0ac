// The service answers as its OpenAPI document describes.
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

// The tests' client checks every answer against the document (tests/support/contract.hpp). The tests here cover answers
// that must occur at least once, and prove that the check detects deviations.
struct Journey {
    Answer call(const std::string& method, const std::string& path, const json::object& body = {},
                const Headers& headers = {}) const {
        return service.call(method, path, body.empty() ? std::string() : json::serialize(body), headers);
    }
    Service& service = suite_service();
};

TEST(OpenApi, GreetingHealthAndKeys) {
    Journey t;
    for (const char* path : {"/api/hello", "/api/public/hello", "/api/health", "/api/health/live", "/api/health/ready",
                             "/.well-known/jwks.json", "/docs", "/docs/json", "/favicon.ico"})
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
    EXPECT_EQ(t.call("DELETE", "/api/user/2fa", {{"code", t.service.next_code(person)}}, again).status, 204U);
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
    for (const auto& [id, status] : {std::pair{"01890000-0000-7000-8000-000000000000", 404U}, {"x", 400U}})
        EXPECT_EQ(t.service.erase(std::string("/api/user/session/revoke/") + id, {}, signed_in).status, status);
    const std::string login = "/api/user/login/credential";
    EXPECT_EQ(t.service.call("POST", login, "{").status, 400U);
    EXPECT_EQ(t.service.call("POST", login, "{}", {{"Content-Type", "text/plain"}}).status, 415U);
    EXPECT_EQ(t.service.call("POST", login, "{", {{"Accept", "application/problem+json"}}).status, 400U);
    for (int i = 0; i < 6; ++i) t.service.log_in("nobody@example.org", "Wrong-Password-1");
    const Answer locked = t.service.log_in("nobody@example.org", "Wrong-Password-1");
    EXPECT_EQ(locked.status, 403U);
}

TEST(OpenApi, ALockedSecondFactor) {
    Journey t;
    Person person = t.service.make_person();
    t.service.turn_two_factor_on(person);
    const std::string challenge = t.service.challenge_of(person);
    Answer answer;
    for (int i = 0; i < 6; ++i) answer = t.service.verify(challenge, "000000");
    EXPECT_EQ(answer.status, 429U);
    EXPECT_EQ(answer.headers.at("retry-after"), std::to_string(answer.number("data.retryAfterSeconds")));
}

TEST(OpenApi, AnAnswerThatIsNotDocumentedIsNoticed) {
    Service& service = suite_service();
    const auto contract = Contract::of(service.app().document());
    const Answer right = HttpClient(service.port()).get("/api/hello");
    const auto complaint_of = [&](auto change, const char* target = "/api/hello", const char* body = "") {
        Answer answer = right;
        change(answer);
        const auto complaints = contract->complaints("GET", target, body, answer);
        return complaints.empty() ? std::string() : complaints.front();
    };
    EXPECT_EQ(complaint_of([](Answer&) {}), "");
    EXPECT_EQ(complaint_of([](Answer& a) { a.status = 418; }), "status 418 is not documented");
    EXPECT_EQ(complaint_of([](Answer& a) { a.headers["x-more"] = "1"; }), "header x-more is not documented");
    EXPECT_EQ(complaint_of([](Answer& a) { a.headers.erase("x-request-id"); }), "header x-request-id is missing");
    EXPECT_EQ(complaint_of([](Answer& a) { a.headers["x-timestamp"] = "now"; }),
              "header x-timestamp: $: not of type integer");
    EXPECT_EQ(complaint_of([](Answer& a) { a.headers["content-type"] = "text/plain"; }),
              "media type text/plain is not documented");
    EXPECT_EQ(complaint_of([](Answer& a) { a.json.as_object()["more"] = 1; }), "$: more is not documented");
    EXPECT_EQ(complaint_of([](Answer& a) { a.json.at("data").as_object().erase("app"); }), "$.data: lacks app");
    EXPECT_EQ(complaint_of([](Answer& a) { a.json.at("metadata").as_object()["more"] = 1; }),
              "$.metadata: more is not documented");
    const auto nothing = [](Answer&) {};
    EXPECT_EQ(complaint_of(nothing, "/api/hello?more=1"), "accepted the query more, which is not documented");
    EXPECT_EQ(complaint_of(nothing, "/api/hello", R"({"more":1})"), "accepted a body, which is not documented");
    EXPECT_EQ(complaint_of(nothing, "/api/nowhere"), "answers 200, but no such operation is documented");
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
    const json::array one_of{json::object{{"type", "string"}}, json::object{{"const", 1}},
                             json::object{{"minimum", 0}}};
    EXPECT_EQ(count(2, {{"oneOf", one_of}}), 0U);
    EXPECT_EQ(count(1, {{"oneOf", one_of}}), 1U) << "two of them";
    EXPECT_EQ(count(-1, {{"oneOf", one_of}}), 1U) << "none of them";
    EXPECT_EQ(count(1, {{"not", json::object{}}}), 1U) << "an unknown keyword";
    EXPECT_EQ(count(1, {{"minimum", 2}}), 1U);
}

}  // namespace
}  // namespace consentry::tests
