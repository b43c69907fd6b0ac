// Tests forward authentication for other applications: whom it admits, what it tells about them, and what it ignores.
#include <gtest/gtest.h>

#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/raw_call.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

constexpr const char* door = "/api/forward-auth";

struct Doors {
    Answer ask(const std::string& path, const std::string& token, Headers more = {}) const {
        more.emplace_back("Authorization", "Bearer " + token);
        return service.get(path, std::move(more));
    }
    // Bypasses the check against the API document, which does not describe everything that a proxy forwards.
    Answer send(const std::string& method, const std::string& path, const std::string& token,
                const std::string& body = {}, Headers more = {}) const {
        if (!token.empty()) more.emplace_back("Authorization", "Bearer " + token);
        return HttpClient(service.port()).call(method, path, body, more);
    }
    std::string token_of(Role role) { return service.tokens_of(service.make_person(role)).access; }

    Service& service = suite_service();
};

std::string header(const Answer& answer, const std::string& name) {
    const auto found = answer.headers.find(name);
    return found == answer.headers.end() ? "none" : found->second;
}

TEST(AUT_1, ForwardAuthTellsWhoIsCalling) {
    Doors doors;
    const Person person = doors.service.make_person(Role::admin);
    const std::string token = doors.service.tokens_of(person).access;
    const std::string session = doors.service.get("/api/shared/user/session/list", bearer(token)).text("data.0.id");
    const Answer answer = doors.ask(door, token);
    ASSERT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(header(answer, "x-user-id"), person.id.text());
    EXPECT_EQ(header(answer, "x-user-email"), person.email);
    EXPECT_EQ(header(answer, "x-user-role"), "admin");
    EXPECT_EQ(header(answer, "x-session-id"), session);
    EXPECT_EQ(header(answer, "cache-control"), "no-store");
    EXPECT_FALSE(answer.has("data"));
    EXPECT_EQ(answer.body.find(person.email), std::string::npos);
}

TEST(AUT_1, ForwardAuthTellsNothingToThoseItRefuses) {
    Doors doors;
    const std::string token = doors.token_of(Role::user);
    for (const Answer& answer : {doors.service.get(door), doors.ask(door, token + "x"),
                                 doors.ask(std::string(door) + "?roles=admin", token)}) {
        EXPECT_GE(answer.status, 401U);
        for (const char* name : {"x-user-id", "x-user-email", "x-user-role", "x-session-id"})
            EXPECT_EQ(header(answer, name), "none");
    }
}

TEST(AUT_1, ForwardAuthWantsOneOfTheRoles) {
    Doors doors;
    const std::string user = doors.token_of(Role::user);
    const std::string admin = doors.token_of(Role::admin);
    const std::string super_admin = doors.token_of(Role::super_admin);
    struct Row {
        const char* roles;
        unsigned of_user, of_admin, of_super_admin;
    };
    for (const auto& [roles, of_user, of_admin, of_super_admin] :
         {Row{"user", 200, 403, 200}, Row{"admin", 403, 200, 200}, Row{"superAdmin", 403, 403, 200},
          Row{"user,admin", 200, 200, 200}, Row{"admin,%20superAdmin", 403, 200, 200}}) {
        SCOPED_TRACE(roles);
        const std::string path = std::string(door) + "?roles=" + roles;
        EXPECT_EQ(doors.ask(path, user).status, of_user);
        EXPECT_EQ(doors.ask(path, admin).status, of_admin);
        EXPECT_EQ(doors.ask(path, super_admin).status, of_super_admin);
    }
    EXPECT_EQ(doors.ask(std::string(door) + "?roles=admin", user).number("statusCode"), 5063);
}

TEST(AUT_1, ForwardAuthRefusesDemandsItDoesNotKnow) {
    Doors doors;
    const std::string token = doors.token_of(Role::super_admin);
    for (const std::string value : {"", ",", "admin,", "Admin", "root", "admin;user", "*"}) {
        EXPECT_TRUE(doors.ask(std::string(door) + "?roles=" + value, token).violates("roles", "isEnum")) << value;
        EXPECT_TRUE(doors.ask(std::string(door) + "?policies=" + value, token).violates("policies", "isEnum")) << value;
    }
    EXPECT_TRUE(doors.ask(std::string(door) + "?roles=admin&roles=user", token).violates("roles", "isUnique"));
    EXPECT_TRUE(doors.ask(std::string(door) + "?role=user", token).violates("role", "whitelistValidation"));
}

TEST(AUT_1, APolicyThatWasNeverPublishedIsNotAskedFor) {
    Doors doors;
    EXPECT_EQ(
        doors.ask(std::string(door) + "?policies=termsOfService,privacy,marketing,cookies", doors.token_of(Role::user))
            .status,
        200U);
}

TEST(AUT_1, ForwardAuthGuardsEveryMethodAndReadsNoBody) {
    Doors doors;
    const std::string token = doors.token_of(Role::user);
    for (const std::string method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"}) {
        for (const std::string path : {"/api/forward-auth", "/api/v1/forward-auth/a/b"}) {
            SCOPED_TRACE(method + " " + path);
            EXPECT_EQ(doors.send(method, path, "").status, 401U);
            const Answer answer = doors.send(method, path, token);
            EXPECT_EQ(answer.status, 200U) << answer.body;
            EXPECT_EQ(header(answer, "x-user-role"), "user");
            if (method == "HEAD") continue;
            for (const std::string type : {"text/plain", "application/json", "multipart/form-data; boundary=x"})
                EXPECT_EQ(doors.send(method, path, token, "{\"roles\":", {{"Content-Type", type}}).status, 200U)
                    << type;
        }
    }
}

TEST(AUT_1, AnswersToOptionsElsewhereAreAsBefore) {
    const Service& service = suite_service();
    const Answer answer = service.call("OPTIONS", "/api/hello");
    EXPECT_EQ(answer.status, 204U);
    EXPECT_EQ(header(answer, "allow"), "GET, HEAD, OPTIONS");
}

TEST(AUT_2, WhatStandsBehindThePathIsNeverAnotherOperation) {
    Doors doors;
    const std::string token = doors.token_of(Role::user);
    for (const std::string rest :
         {"/", "//", "/a", "/a/b/c", "/..", "/../shared/user/2fa/status", "/%2e%2e/hello", "/a;x=1", "/:path",
          "/api/forward-auth", "/a?roles=superAdmin&policies=none", "/?page=2", "/a%2Fb?&&=%zz"}) {
        SCOPED_TRACE(rest);
        EXPECT_EQ(doors.send("GET", door + rest, "").status, 401U);
        const Answer answer = doors.send("GET", door + rest, token);
        EXPECT_EQ(answer.status, 200U) << answer.body;
        EXPECT_EQ(header(answer, "x-user-role"), "user");
    }
    for (const std::string path : {"/api/forward-authx", "/api/forward-autH/a", "/forward-auth/a",
                                   "/api/v2/forward-auth/a", "/api//forward-auth/a", "/api/%66orward-auth/a"})
        EXPECT_EQ(doors.send("GET", path, token).status, 404U) << path;
}

TEST(AUT_2, DemandsOfAProxyThatKeepsThePathComeInHeadersOfOneLine) {
    Doors doors;
    const std::string user = doors.token_of(Role::user);
    const std::string admin = doors.token_of(Role::admin);
    const std::string path = "/api/forward-auth/orders";
    EXPECT_EQ(doors.ask(path, user, {{"X-Required-Roles", "admin"}}).status, 403U);
    EXPECT_EQ(doors.ask(path, admin, {{"X-Required-Roles", "admin"}}).status, 200U);
    EXPECT_EQ(doors.ask(path, user, {{"X-Required-Roles", "user, admin"}, {"X-Required-Policies", "privacy"}}).status,
              200U);
    EXPECT_TRUE(doors.ask(path, admin, {{"X-Required-Roles", "root"}}).violates("X-Required-Roles", "isEnum"));
    EXPECT_TRUE(doors.ask(path, admin, {{"X-Required-Policies", ""}}).violates("X-Required-Policies", "isEnum"));
    // A second line, such as one from the client, is refused instead of added to the operator's.
    RawClient client(doors.service.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + user +
                "\r\nX-Required-Roles: admin\r\nX-Required-Roles: user\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 422U);
}

TEST(AUT_2, DemandsInHeadersAddToThoseOfTheQuery) {
    Service own;  // for what is published here
    Doors doors{own};
    const std::string user = doors.token_of(Role::user);
    const std::string admin = doors.token_of(Role::admin);
    const std::string super_admin = doors.token_of(Role::super_admin);
    struct Row {
        const char* query;
        const char* roles;
        unsigned of_user, of_admin, of_super_admin;
    };
    for (const auto& [query, roles, of_user, of_admin, of_super_admin] :
         {Row{"", "admin", 403, 200, 200}, Row{"?roles=user,admin", "admin", 403, 200, 200},
          Row{"?roles=admin", "user", 403, 403, 200}, Row{"?roles=admin", "user,admin", 403, 200, 200}}) {
        SCOPED_TRACE(std::string(query) + " " + roles);
        const Headers demand{{"X-Required-Roles", roles}};
        EXPECT_EQ(doors.ask(std::string(door) + query, user, demand).status, of_user);
        EXPECT_EQ(doors.ask(std::string(door) + query, admin, demand).status, of_admin);
        EXPECT_EQ(doors.ask(std::string(door) + query, super_admin, demand).status, of_super_admin);
    }
    publish(doors.service, "privacy", 1);
    publish(doors.service, "cookies", 1);
    ASSERT_EQ(accept(doors.service, user, "privacy").status, 200U);
    EXPECT_EQ(doors.ask(std::string(door) + "?policies=privacy", user).status, 200U);
    EXPECT_EQ(doors.ask(std::string(door) + "?policies=privacy", user, {{"X-Required-Policies", "cookies"}})
                  .number("statusCode"),
              6104);
    // Malformed demands are refused here as well.
    EXPECT_TRUE(doors.ask(door, super_admin, {{"X-Required-Roles", "root"}}).violates("X-Required-Roles", "isEnum"));
    RawClient client(doors.service.port());
    client.send("GET " + std::string(door) + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + admin +
                "\r\nX-Required-Roles: admin\r\nX-Required-Roles: user\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 422U);
}

TEST(AUT_2, ASlashTooManyInAProxysConfigurationDropsNoDemand) {
    Service own;  // for what is published here
    Doors doors{own};
    const std::string user = doors.token_of(Role::user);
    const std::string admin = doors.token_of(Role::admin);
    publish(doors.service, "cookies", 1);
    const auto ask = [&](const std::string& path, const std::string& token, const Headers& more = {}) {
        return doors.send("GET", path, token, {}, more);
    };
    for (const std::string prefix : {"/api/forward-auth/", "/api/v1/forward-auth/"}) {
        EXPECT_EQ(ask(prefix + "?roles=admin", user).status, 403U);
        EXPECT_EQ(ask(prefix + "?roles=admin", admin).status, 200U);
        EXPECT_EQ(ask(prefix + "?policies=cookies", admin).status, 403U);
        EXPECT_EQ(ask(prefix + "?roles=user&policies=cookies", user).status, 403U);
        EXPECT_TRUE(ask(prefix + "?roles=Admin", admin).violates("roles", "isEnum"));
        EXPECT_TRUE(ask(prefix + "?roles=admin&roles=user", admin).violates("roles", "isUnique"));
        EXPECT_EQ(ask(prefix + "?roles=user", user, {{"X-Required-Roles", "admin"}}).status, 403U);
        for (const char* query : {"?roles=admin&order=%zz", "?%zz&policies=cookies"})
            EXPECT_EQ(ask(prefix + query, user).status, 403U) << query;
        EXPECT_EQ(ask(prefix + "?roles=admin&order=%zz", admin).status, 200U);
        EXPECT_TRUE(ask(prefix + "?roles=%zz", admin).violates("roles", "isEnum"));
        // The start page of an application may have a query of its own.
        EXPECT_EQ(ask(prefix + "?page=2&order=%zz", user).status, 200U);
        EXPECT_EQ(ask(prefix + "orders?roles=admin", user).status, 200U);
    }
}

TEST(AUT_5, WhoACallerClaimsToBeInHeadersIsIgnored) {
    Doors doors;
    const Person person = doors.service.make_person();
    const std::string token = doors.service.tokens_of(person).access;
    const Headers forged{{"X-User-Id", "01890000-0000-7000-8000-000000000000"},
                         {"X-User-Email", "root@example.org"},
                         {"X-User-Role", "superAdmin"},
                         {"X-Session-Id", "01890000-0000-7000-8000-000000000000"},
                         {"X-Forwarded-User", "root"},
                         {"X-Forwarded-Method", "GET"},
                         {"X-Original-URI", "/public"},
                         {"X-HTTP-Method-Override", "GET"}};
    EXPECT_EQ(doors.service.get(door, forged).status, 401U);
    const Answer answer = doors.ask(door, token, forged);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(header(answer, "x-user-id"), person.id.text());
    EXPECT_EQ(header(answer, "x-user-email"), person.email);
    EXPECT_EQ(header(answer, "x-user-role"), "user");
    EXPECT_EQ(doors.ask(std::string(door) + "?roles=admin", token, forged).status, 403U);
}

TEST(AUT_4, ForwardAuthForgetsNobodyTooLate) {
    Doors doors;
    const Person person = doors.service.make_person();
    const std::string token = doors.service.tokens_of(person).access;
    EXPECT_EQ(doors.ask(door, token).status, 200U);
    doors.service.sql("UPDATE users SET status = 'inactive' WHERE id = '" + person.id.text() + "'");
    EXPECT_EQ(doors.ask(door, token).status, 403U);
    doors.service.sql("UPDATE users SET status = 'active' WHERE id = '" + person.id.text() + "'");
    EXPECT_EQ(doors.ask(door, token).status, 200U);
    EXPECT_EQ(doors.service.post("/api/shared/user/logout", {}, bearer(token)).status, 200U);
    EXPECT_EQ(doors.ask(door, token).status, 401U);
}

TEST(LIM_2, BehindATrustedProxyEachClientHasALimitOfItsOwn) {
    const Environment limited{{"THROTTLE_LIMIT", "1"}, {"THROTTLE_TTL_IN_MS", "3600000"}};
    const Service alone(limited);
    EXPECT_EQ(alone.get(door, {{"X-Forwarded-For", "203.0.113.1"}}).status, 401U);
    EXPECT_EQ(alone.get(door, {{"X-Forwarded-For", "203.0.113.2"}}).status, 429U) << "all clients are the proxy";

    Environment trusting = limited;
    trusting["HTTP_TRUSTED_PROXIES"] = "127.0.0.1";
    const Service service(trusting);
    EXPECT_EQ(service.get(door, {{"X-Forwarded-For", "203.0.113.1"}}).status, 401U);
    EXPECT_EQ(service.get(door, {{"X-Forwarded-For", "203.0.113.2"}}).status, 401U);
    EXPECT_EQ(service.get(door, {{"X-Forwarded-For", "203.0.113.2"}}).status, 429U);
}

}  // namespace
}  // namespace consentry::tests
