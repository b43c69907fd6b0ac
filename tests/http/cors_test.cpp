// Which origins' pages may read an answer (WEB-6).
#include <gtest/gtest.h>

#include "app/config/read_config.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

const std::string allowlist = "*.example.com,app.test:8443";

Answer hello_from(const Service& service, const std::string& origin) {
    return service.get("/api/hello", {{"Origin", origin}});
}

Answer preflight(const Service& service, const std::string& origin) {
    return service.call("OPTIONS", "/api/public/user/login/credential", {},
                        {{"Origin", origin},
                         {"Access-Control-Request-Method", "POST"},
                         {"Access-Control-Request-Headers", "content-type,x-api-key"}});
}

TEST(WEB_6, ListedOriginsMayReadWithCredentials) {
    const Service service({{"CORS_ALLOWED_ORIGIN", allowlist}});
    for (const std::string origin :
         {"https://example.com", "http://a.b.example.com", "https://app.test:8443", "http://app.test:8443",
          "https://EXAMPLE.com", "https://example.com:443", "http://example.com:80", "HTTPS://example.com"}) {
        const Answer answer = hello_from(service, origin);
        EXPECT_EQ(answer.header("access-control-allow-origin"), origin);
        EXPECT_EQ(answer.header("access-control-allow-credentials"), "true") << origin;
        EXPECT_NE(answer.header("access-control-expose-headers").find("x-request-id"), std::string::npos) << origin;
        EXPECT_EQ(answer.header("vary"), "Origin") << origin;
    }
}

TEST(WEB_6, AnEntryWithASchemeAllowsThatSchemeAlone) {
    const Service service({{"CORS_ALLOWED_ORIGIN", "https://app.test,http://localhost:5173,https://*.example.com"}});
    for (const std::string allowed : {"https://app.test", "https://app.test:443", "http://localhost:5173",
                                      "https://example.com", "https://a.example.com"})
        EXPECT_EQ(hello_from(service, allowed).header("access-control-allow-origin"), allowed);
    for (const std::string other : {"http://app.test", "https://localhost:5173", "http://a.example.com",
                                    "http://app.test:443", "https://app.test:80"})
        EXPECT_EQ(hello_from(service, other).header("access-control-allow-origin"), "") << other;
}

TEST(WEB_6, OutsidersAreServedAndMayNotRead) {
    const Service service({{"CORS_ALLOWED_ORIGIN", allowlist}});
    for (const std::string origin : {"https://evil-example.com",
                                     "https://example.com.evil.org",
                                     "https://example.com@evil.org",
                                     "https://exampleXcom",
                                     "https://example.com:8443",
                                     "https://app.test",
                                     "https://app.test:84430",
                                     "https://app.test:08443",
                                     "https://app.test:08443x",
                                     "null",
                                     "",
                                     "https://example.com.",
                                     "https://example.com/",
                                     "https://example.com%00.evil.org",
                                     "file://example.com",
                                     "ftp://example.com",
                                     "example.com",
                                     "https://",
                                     "https://.example.com",
                                     "https://a..example.com",
                                     "https://example.com:",
                                     "https://example.com:0",
                                     "https://example.com?x",
                                     "https://example.com#x",
                                     "https:example.com",
                                     "https://example.com https://evil.org",
                                     "https://example.com, https://evil.org"}) {
        for (const Answer& answer : {hello_from(service, origin), preflight(service, origin)}) {
            EXPECT_EQ(answer.header("access-control-allow-origin"), "") << origin;
            EXPECT_EQ(answer.header("access-control-allow-credentials"), "") << origin;
            EXPECT_EQ(answer.header("access-control-allow-methods"), "") << origin;
            EXPECT_EQ(answer.header("vary").substr(0, 6), "Origin") << origin;
        }
        EXPECT_EQ(hello_from(service, origin).status, 200U) << origin;
    }
}

TEST(WEB_6, TwoOriginHeadersAreNone) {
    const Service service({{"CORS_ALLOWED_ORIGIN", allowlist}});
    RawClient client(service.port());
    client.send(
        "GET /api/hello HTTP/1.1\r\nHost: x\r\nOrigin: https://example.com\r\nOrigin: https://example.com\r\n"
        "Connection: close\r\n\r\n");
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "");
}

TEST(WEB_6, ABareWildcardNamesNobodyAndTakesNoCredentials) {
    const Service service({{"CORS_ALLOWED_ORIGIN", "*,app.test:8443"}});
    for (const std::string origin : {"https://anybody.org", "https://app.test:8443", "null"}) {
        const Answer answer = hello_from(service, origin);
        EXPECT_EQ(answer.header("access-control-allow-origin"), "*") << origin;
        EXPECT_EQ(answer.header("access-control-allow-credentials"), "") << origin;
        EXPECT_EQ(answer.header("vary").find("Origin"), std::string::npos) << origin;
    }
}

// A cache may keep the answer to a request without the header, such as a navigation, and give it to the page of any
// origin.
TEST(WEB_6, UnderABareWildcardAnswersAreTheSameWithoutAnOrigin) {
    const Service service({{"CORS_ALLOWED_ORIGIN", "*"}});
    for (const std::string path : {"/docs/json", "/api/hello", "/api/nowhere"}) {
        const Answer without = service.get(path);
        const Answer with = service.get(path, {{"Origin", "https://anybody.org"}});
        EXPECT_EQ(without.header("access-control-allow-origin"), "*") << path;
        for (const char* name : {"access-control-allow-origin", "access-control-expose-headers",
                                 "access-control-allow-credentials", "vary"})
            EXPECT_EQ(without.header(name), with.header(name)) << path << " " << name;
    }
}

TEST(WEB_6, WithoutTheSettingNoPageMayReadAnything) {
    const Service service;
    const Answer answer = hello_from(service, "https://example.com");
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("access-control-allow-origin"), "");
}

TEST(WEB_6, APreflightTellsMethodsAndHeadersAndTouchesNothing) {
    const Service service({{"CORS_ALLOWED_ORIGIN", allowlist}});
    const Answer answer = preflight(service, "https://www.example.com");
    EXPECT_EQ(answer.status, 204U);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.header("access-control-allow-methods"), "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS");
    EXPECT_EQ(answer.header("access-control-max-age"), "86400");
    for (const char* name : {"x-api-key", "x-timezone", "x-request-id", "Authorization", "Content-Type"})
        EXPECT_NE(answer.header("access-control-allow-headers").find(name), std::string::npos) << name;
    EXPECT_NE(answer.header("vary").find("Access-Control-Request-Method"), std::string::npos);
    // A preflight needs no credentials, even for a guarded endpoint. An unknown path still gets 404.
    EXPECT_EQ(service.call("OPTIONS", "/api/shared/user/logout").status, 204U);
    EXPECT_EQ(service.call("OPTIONS", "/api/nowhere").status, 404U);
}

TEST(WEB_6, APageMayReadRefusals) {
    const Service service(
        {{"CORS_ALLOWED_ORIGIN", allowlist}, {"THROTTLE_LIMIT", "1"}, {"THROTTLE_TTL_IN_MS", "60000"}});
    const Headers origin{{"Origin", "https://example.com"}};
    EXPECT_EQ(service.get("/api/hello", origin).status, 200U);
    for (const auto& [path, status] :
         {std::pair{"/api/hello", 429U}, {"/api/nowhere", 404U}, {"/api/shared/user/session/list", 401U}}) {
        const Answer answer = service.get(path, origin);
        EXPECT_EQ(answer.status, status);
        EXPECT_EQ(answer.header("access-control-allow-origin"), "https://example.com") << path;
    }
    // The reader's refusals, which come before routing, carry the header as well.
    RawClient client(service.port());
    client.send(
        "POST /api/public/user/login/credential HTTP/1.1\r\nHost: x\r\nOrigin: https://example.com\r\n"
        "Content-Type: application/json\r\nContent-Length: 9999999\r\n\r\n");
    const RawAnswer refused = client.read_answer();
    EXPECT_EQ(refused.status, 413U);
    EXPECT_EQ(refused.header("Access-Control-Allow-Origin"), "https://example.com");
}

// Auditors verify the consent log in pages of their own, whatever the operator lists.
TEST(WEB_6, AnybodysPageMayReadTheConsentLog) {
    for (const std::string setting : {"", "*.example.com", "*"}) {
        SCOPED_TRACE(setting);
        const Service service(setting.empty() ? Environment{} : Environment{{"CORS_ALLOWED_ORIGIN", setting}});
        for (const auto& [path, status] : {std::pair{"/consent-log/checkpoint", 200U},
                                           {"/consent-log/tile/0/000", 404U},
                                           {"/consent-log/nothing", 404U},
                                           {"/.well-known/consent-log", 200U},
                                           {"/.well-known/consent-log.note", 200U}}) {
            for (const Headers& origin :
                 {Headers{}, Headers{{"Origin", "https://auditor.org"}}, Headers{{"Origin", "null"}}}) {
                const Answer answer = service.get(path, origin);
                EXPECT_EQ(answer.status, status) << path;
                EXPECT_EQ(answer.header("access-control-allow-origin"), "*") << path;
                EXPECT_EQ(answer.header("access-control-allow-credentials"), "") << path;
                EXPECT_EQ(answer.header("vary").find("Origin"), std::string::npos) << "caches give it to everybody";
            }
            const Answer asked = service.call("OPTIONS", path, {},
                                              {{"Origin", "https://auditor.org"},
                                               {"Access-Control-Request-Method", "GET"},
                                               {"Access-Control-Request-Headers", "if-none-match"}});
            EXPECT_EQ(asked.header("access-control-allow-origin"), "*") << path;
            EXPECT_EQ(asked.header("access-control-allow-methods"), "GET, HEAD, OPTIONS") << path;
            EXPECT_NE(asked.header("access-control-allow-headers").find("If-None-Match"), std::string::npos) << path;
        }
        EXPECT_EQ(hello_from(service, "https://auditor.org").header("access-control-allow-origin"),
                  setting == "*" ? "*" : "");
    }
}

TEST(WEB_6, EntriesThatAllowTooMuchStopTheStart) {
    for (const std::string entry :
         {"*.com", "ex*mple.com", "*example.com", "a.*.com", "example.com:*", "*:8080", "example.com:0",
          "example.com:99999", "example.com/path", "user@example.com", ".com", "example..com", "example.com.",
          "a b.com", "ftp://example.com", "example.com,"}) {
        const auto config = read_config({{"CORS_ALLOWED_ORIGIN", entry}});
        ASSERT_FALSE(config.has_value()) << entry;
        EXPECT_EQ(config.error().front().setting, "CORS_ALLOWED_ORIGIN");
    }
    const auto named = read_config({{"CORS_ALLOWED_ORIGIN", "canary.example.com:*"}});
    ASSERT_FALSE(named.has_value());
    EXPECT_EQ(named.error().front().text.find("canary"), std::string::npos) << "repeats the value";
    EXPECT_TRUE(read_config({{"CORS_ALLOWED_ORIGIN", "*"}}).has_value());
    EXPECT_TRUE(read_config({{"CORS_ALLOWED_ORIGIN", "https://app.example.com, [::1]:5173"}}).has_value());
}

}  // namespace
}  // namespace consentry::tests
