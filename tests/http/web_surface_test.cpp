// What all endpoints share in their answers: headers, ids, formats of errors, content codings.
#include <set>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "app/version.hpp"
#include "http/steps/content_coding.hpp"
#include "http/trace_context.hpp"
#include "tests/support/gunzip.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

RawAnswer raw(const Service& service, const std::string& request) {
    RawClient client(service.port());
    client.send(request);
    return client.read_answer();
}

TEST(WEB_7, EveryAnswerKeepsToItself) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    for (const Answer& answer :
         {service.get("/api/hello"), service.get("/api/nowhere"), service.get("/api/shared/user/session/list"),
          service.get("/api/shared/user/session/list", bearer(tokens.access)), service.post("/api/hello", {}),
          service.call("POST", "/api/public/user/login/credential", "{")}) {
        EXPECT_EQ(answer.header("cache-control"), "no-store");
        EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
        EXPECT_EQ(answer.header("x-frame-options"), "DENY");
        EXPECT_EQ(answer.header("referrer-policy"), "no-referrer");
        EXPECT_EQ(answer.header("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
        EXPECT_EQ(answer.header("content-type"), "application/json; charset=utf-8");
        EXPECT_FALSE(answer.headers.contains("server"));
        EXPECT_FALSE(answer.headers.contains("x-powered-by"));
        EXPECT_FALSE(answer.headers.contains("strict-transport-security"));
    }
}

TEST(WEB_7, StrictTransportIsSaidOnTls) {
    EXPECT_EQ(
        Service({{"PUBLIC_URL", "https://login.example.com"}}).get("/api/hello").header("strict-transport-security"),
        "max-age=31536000; includeSubDomains");
    const Service behind({{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    EXPECT_NE(behind.get("/api/hello", {{"X-Forwarded-Proto", "https"}}).header("strict-transport-security"), "");
    EXPECT_EQ(behind.get("/api/hello", {{"X-Forwarded-Proto", "http"}}).header("strict-transport-security"), "");
    // Regression: an unreadable hop hid the scheme, too.
    for (const char* hops : {"10.0.0.7", "unknown", "unknown, 127.0.0.1", "unix:"})
        EXPECT_NE(behind.get("/api/hello", {{"X-Forwarded-For", hops}, {"X-Forwarded-Proto", "https"}})
                      .header("strict-transport-security"),
                  "")
            << hops;
    EXPECT_EQ(suite_service().get("/api/hello", {{"X-Forwarded-Proto", "https"}}).header("strict-transport-security"),
              "");
}

TEST(WEB_5, AnotherMethodIsToldWhichThereAre) {
    const Service& service = suite_service();
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "BREW"}) {
        const Answer answer = service.call(method, "/api/hello");
        EXPECT_EQ(answer.status, 405U) << method;
        EXPECT_EQ(answer.header("allow"), "GET, HEAD, OPTIONS") << method;
        EXPECT_EQ(answer.code_name(), "methodNotAllowed");
    }
    EXPECT_EQ(service.get("/api/user/2fa").header("allow"), "DELETE, OPTIONS");
    const auto connect = raw(service, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
    EXPECT_EQ(connect.status, 405U);
    EXPECT_EQ(connect.header("Allow"), "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    const auto trace = raw(service, "TRACE /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(trace.status, 405U);
    EXPECT_NE(trace.header("Allow"), "");
}

TEST(WEB_5, OptionsTellsTheMethodsToAnybody) {
    const Service& service = suite_service();
    const Answer answer = service.call("OPTIONS", "/api/user/2fa");
    EXPECT_EQ(answer.status, 204U);
    EXPECT_EQ(answer.header("allow"), "DELETE, OPTIONS");
    EXPECT_EQ(raw(service, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").status, 204U);
}

TEST(WEB_5, MethodOverridesAreIgnored) {
    const Service& service = suite_service();
    for (const char* name : {"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"})
        EXPECT_EQ(service.call("GET", "/api/user/2fa", {}, {{name, "DELETE"}}).status, 405U) << name;
}

TEST(AUT_2, HeadIsGetWithoutTheBodyAndWithItsGuard) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    const std::string head = "HEAD /api/shared/user/session/list HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    EXPECT_EQ(raw(service, head + "\r\n").status, 401U);
    const auto answer = raw(service, head + "Authorization: Bearer " + tokens.access + "\r\n\r\n");
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.body, "");
    EXPECT_GT(std::stoul(answer.header("Content-Length")), 100U);
}

TEST(LOG_3, WellFormedIdsAreReturned) {
    const Service& service = suite_service();
    const std::string id = "01890000-0000-7000-8000-000000000000";
    const Answer answer = service.get("/api/hello", {{"x-request-id", id}, {"x-correlation-id", "order.17_a-b"}});
    EXPECT_EQ(answer.header("x-request-id"), id);
    EXPECT_EQ(answer.text("metadata.requestId"), id);
    EXPECT_EQ(answer.header("x-correlation-id"), "order.17_a-b");
    EXPECT_EQ(answer.text("metadata.correlationId"), "order.17_a-b");
    const std::string longest(64, 'x');
    EXPECT_EQ(service.get("/api/hello", {{"x-correlation-id", longest}}).header("x-correlation-id"), longest);
    std::set<std::string> seen;
    for (const std::string odd :
         {"", "not-a-uuid", "01890000-0000-7000-8000-00000000000g", "%0d%0ax: y", "a b", "<x>"}) {
        const Answer fresh = service.get("/api/nowhere", {{"x-request-id", odd}, {"x-correlation-id", odd + "/"}});
        EXPECT_TRUE(Uuid::parse(fresh.header("x-request-id"))) << odd;
        EXPECT_TRUE(seen.insert(fresh.header("x-request-id")).second);
        EXPECT_EQ(fresh.header("x-correlation-id"), fresh.header("x-request-id")) << odd;
    }
    EXPECT_TRUE(
        Uuid::parse(service.get("/api/hello", {{"x-correlation-id", longest + "x"}}).header("x-correlation-id")));
}

TEST(WEB_7, EveryAnswerTellsAboutItself) {
    const Service service({{"APP_TIMEZONE", "Europe/Berlin"}, {"URL_VERSION", "3"}});
    for (const Answer& answer : {service.get("/api/hello", {{"x-custom-lang", "DE"}}),
                                 service.get("/api/nowhere", {{"x-custom-lang", "de"}})}) {
        EXPECT_EQ(answer.header("x-timezone"), "Europe/Berlin");
        EXPECT_EQ(answer.header("x-version"), "3");
        EXPECT_EQ(answer.header("x-repo-version"), std::string(program_version()));
        EXPECT_EQ(answer.header("x-custom-lang"), "de");
        EXPECT_EQ(answer.header("x-timestamp"), std::to_string(answer.number("metadata.timestamp")));
        EXPECT_TRUE(answer.header("x-response-time").ends_with("ms"));
        EXPECT_EQ(answer.text("metadata.timezone"), "Europe/Berlin");
        EXPECT_EQ(answer.text("metadata.version"), "3");
        EXPECT_EQ(answer.text("metadata.language"), "de");
    }
    EXPECT_EQ(service.get("/api/hello?").text("metadata.path"), "/api/hello");
}

TEST(INP_10, LanguageAndTimezoneAreMatchedWithLists) {
    const Service service;
    for (const std::string& odd :
         std::vector<std::string>{"../../x", "%n%s%s%s", "xx", "", "en-US", "EN\xC3\x9F", std::string(6'000, 'e')}) {
        const Answer answer = service.get("/api/hello", {{"x-custom-lang", odd}, {"x-timezone", odd}});
        EXPECT_EQ(answer.status, 200U);
        EXPECT_EQ(answer.text("metadata.language"), "en") << odd.substr(0, 20);
        EXPECT_EQ(answer.text("metadata.timezone"), "UTC");
    }
}

TEST(Problem, AnErrorTakesTheFormOfRfc9457OnRequest) {
    const Service& service = suite_service();
    const Answer answer = service.get("/api/shared/user/session/list", {{"Accept", "application/problem+json, */*"}});
    EXPECT_EQ(answer.status, 401U);
    EXPECT_EQ(answer.header("content-type"), "application/problem+json; charset=utf-8");
    EXPECT_EQ(answer.text("type"), "urn:consentry:error:auth:jwtAccessTokenInvalid");
    EXPECT_EQ(answer.text("title"), "Unauthorized");
    EXPECT_EQ(answer.number("status"), 401);
    EXPECT_EQ(answer.text("detail"), answer.text("message"));
    EXPECT_EQ(answer.text("instance"), "urn:uuid:" + answer.text("metadata.requestId"));
    // The problem document also contains the facts of the envelope.
    EXPECT_EQ(answer.number("statusCode"), 5120);
    EXPECT_EQ(answer.text("statusCodeKey"), "jwtAccessTokenInvalid");
    const Answer invalid = service.call("POST", "/api/public/user/login/credential", "{}",
                                        {{"Content-Type", "application/json"}, {"Accept", "Application/Problem+JSON"}});
    EXPECT_EQ(invalid.status, 422U);
    EXPECT_TRUE(invalid.violates("email", "isEmail"));
    // A successful answer never becomes a problem document.
    EXPECT_EQ(service.get("/api/hello", {{"Accept", "application/problem+json"}}).header("content-type"),
              "application/json; charset=utf-8");
}

TEST(Problem, TheWeightsOfAcceptAreRespected) {
    const Service& service = suite_service();
    const auto form_for = [&](const std::string& accept) {
        const Answer answer = service.get("/api/shared/user/session/list", {{"Accept", accept}});
        const std::string type = answer.header("content-type");
        return type.substr(0, type.find(';'));
    };
    for (const std::string accept :
         {"application/problem+json", "application/json, application/problem+json", "application/problem+json;q=0.5",
          "application/json;q=0.4, application/problem+json ; q=0.5", "*/*;q=0.1, application/problem+json;q=0.2",
          "application/json;q=0.2, */*, application/problem+json;q=0.5", "application/problem+json;charset=utf-8"})
        EXPECT_EQ(form_for(accept), "application/problem+json") << accept;
    for (const std::string accept :
         {"application/problem+json;q=0", "application/problem+json; Q=0.000", "application/problem+json;q=0.5, */*",
          "application/problem+json;q=0.8, application/json;q=0.9", "application/problem+json;q=no", "*/*",
          "application/*, text/html", "application/problem+jsonx", "application/problem+json;q=0.5, application/*"})
        EXPECT_EQ(form_for(accept), "application/json") << accept;
}

// A refused body gets a message that describes the fault as precisely as possible.
struct BadBody {
    std::string body;
    std::string message;
    int line;
    int column;
};

TEST(INP_1, ABadBodySaysWhatIsWrongAndWhere) {
    const Service service;
    const std::string deep(33, '[');
    std::string many = "{\"a\":[0";
    for (int i = 0; i < 1'000; ++i) many += ",0";
    const BadBody bodies[] = {
        {"{\n  \"email\": nobody\n}", "The body is not valid JSON. See line 2, column 12.", 2, 12},
        {"{\"email\":\"a\"", "The body is not valid JSON. See line 1, column 13.", 1, 13},
        {"{} {}", "The body is not valid JSON. See line 1, column 4.", 1, 4},
        {"{\"é\": 'a'}", "The body is not valid JSON. See line 1, column 7.", 1, 7},
        {"{\"email\":\"a\",\n \"email\":\"b\"}", "The same name appears twice in a JSON object. See line 2, column 8.",
         2, 8},
        {"{\"a\":" + deep, "The JSON is nested more than 32 levels deep. See line 1, column 37.", 1, 37},
        {many + "]}", "The JSON contains more than 1000 values. See line 1, column 2008.", 1, 2008},
    };
    for (const BadBody& bad : bodies) {
        const Answer answer =
            service.call("POST", "/api/public/user/login/credential", bad.body, {{"Content-Type", "application/json"}});
        EXPECT_EQ(answer.status, 400U) << bad.body.substr(0, 40);
        EXPECT_EQ(answer.number("statusCode"), 400);
        EXPECT_EQ(answer.text("message"), bad.message) << bad.body.substr(0, 40);
        EXPECT_EQ(answer.number("data.line"), bad.line);
        EXPECT_EQ(answer.number("data.column"), bad.column);
    }
}

TEST(WEB_5, ARefusedMediaTypeIsToldWhichOnesAreTaken) {
    const Service& service = suite_service();
    const Answer answer =
        service.call("POST", "/api/public/user/login/credential", "a=b", {{"Content-Type", "text/plain"}});
    EXPECT_EQ(answer.status, 415U);
    EXPECT_EQ(answer.text("message"), "We cannot read this type of content. We accept: application/json.");
    EXPECT_EQ(answer.text("data.mediaTypes"), "application/json");
    EXPECT_EQ(answer.header("accept"), "application/json");
    const Answer coded = service.call("POST", "/api/public/user/login/credential", "{}",
                                      {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}});
    EXPECT_EQ(coded.status, 415U);
    EXPECT_EQ(coded.text("message"), "We do not accept content with a Content-Encoding. Please send it uncompressed.");
}

TEST(Coding, LargeDocumentsTravelCompressedAndOnce) {
    const Service& service = suite_service();
    const Answer plain = service.get("/docs/json");
    const Answer packed = service.get("/docs/json", {{"Accept-Encoding", "br, gzip;q=0.8"}});
    EXPECT_EQ(packed.header("content-encoding"), "gzip");
    EXPECT_NE(packed.header("vary").find("Accept-Encoding"), std::string::npos);
    EXPECT_NE(plain.header("vary").find("Accept-Encoding"), std::string::npos);
    EXPECT_EQ(gunzip(packed.body, std::size_t{64} << 20), plain.body);
    EXPECT_LT(packed.body.size() * 3, plain.body.size());
    for (const char* refused : {"gzip;q=0", "gzip;Q=0", "gzip; Q=0.000", "gzip;q=0.0000", "gzip;q=0;x=1", "gzip;q=-1",
                                "gzip;q=2", "gzip;q=", "*;Q=0", "identity", "br", "gzip;q=0.0, *", ""})
        EXPECT_EQ(service.get("/docs/json", {{"Accept-Encoding", refused}}).header("content-encoding"), "") << refused;
    for (const char* wanted : {"*", "GZIP", "gzip;Q=0.001", "gzip;q=1.000", "br;q=0, gzip", "gzip;xq=0"})
        EXPECT_EQ(service.get("/docs/json", {{"Accept-Encoding", wanted}}).header("content-encoding"), "gzip")
            << wanted;
}

TEST(Coding, WhatHoldsSecretsIsNotCompressed) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Answer login =
        service.call("POST", "/api/public/user/login/credential",
                     R"({"email":")" + person.email + R"(","password":")" + person.password + R"(","from":"website"})",
                     {{"Content-Type", "application/json"}, {"Accept-Encoding", "gzip"}});
    EXPECT_EQ(login.status, 200U);
    EXPECT_GT(login.body.size(), http::compressed_from_bytes);
    EXPECT_EQ(login.header("content-encoding"), "");
}

TEST(Coding, WhatTheClientHasIsNotSentAgain) {
    const Service& service = suite_service();
    for (const char* path : {"/docs/json", "/.well-known/jwks.json"}) {
        const Answer first = service.get(path);
        const std::string tag = first.header("etag");
        ASSERT_NE(tag, "") << path;
        for (const std::string& known : {tag, "W/\"other\", " + tag, std::string("*")}) {
            const Answer again = service.get(path, {{"If-None-Match", known}});
            EXPECT_EQ(again.status, 304U) << path << known;
            EXPECT_EQ(again.body, "");
            EXPECT_EQ(again.header("etag"), tag);
        }
        EXPECT_EQ(service.get(path, {{"If-None-Match", "\"other\""}}).status, 200U);
    }
}

TEST(TraceContext, IsReadInItsStrictForm) {
    using http::TraceContext;
    const std::string good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const auto trace = TraceContext::parse(good);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(trace->traceparent("1111111111111111"), "00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01");
    EXPECT_TRUE(TraceContext::parse("01" + good.substr(2) + "-more"));
    for (const std::string& bad : {std::string(), good.substr(1), good + "-more", "ff" + good.substr(2),
                                   std::string("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),
                                   std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"),
                                   std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"),
                                   std::string("00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01")})
        EXPECT_FALSE(TraceContext::parse(bad)) << bad;
}

}  // namespace
}  // namespace consentry::tests
