// How answers treat input from outside: header lines, methods, media types, ids and failures (WEB-2, WEB-5, LOG-3,
// LOG-6).
#include <set>

#include "base/uuid.hpp"
#include "tests/support/raw_call.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

TEST(WEB_2, NothingFromOutsideMakesAHeaderLine) {
    const Service service;
    const auto reference = ask(service, "GET /api/hello HTTP/1.1\r\nHost: a\r\n");
    const auto lines = [](const RawAnswer& answer) { return std::ranges::count(answer.head, '\n'); };
    for (const std::string value :
         {"a%0d%0aSet-Cookie: x=1", "%0d%0a%0d%0a<html>", "a\\r\\nSet-Cookie: x=1", "a%0aX-Evil: 1", "a%00b",
          "\xE5\x98\x8A\xE5\x98\x8DSet-Cookie:x", "a\tSet-Cookie: x=1", "\"><script>", "%E5%98%8A%E5%98%8DX-Evil:1"})
        for (const std::string name : {"x-request-id", "x-correlation-id", "x-custom-lang", "User-Agent", "Accept",
                                       "Origin", "Referer", "x-timezone", "x-version"}) {
            const auto answer = ask(service, "GET /api/hello HTTP/1.1\r\nHost: a\r\n" + name + ": " + value + "\r\n");
            EXPECT_EQ(answer.status, 200U) << name << ": " << value;
            EXPECT_EQ(lines(answer), lines(reference)) << name << ": " << value;
            EXPECT_EQ(answer.head.find("Evil"), std::string::npos);
            EXPECT_EQ(answer.head.find("x=1"), std::string::npos);
        }
    // Consentry refuses a request with raw control bytes and reflects nothing of it.
    for (const std::string& value : {std::string("a\rSet-Cookie: x=1"), std::string("a\0b", 3), std::string("a\x1b[2J"),
                                     std::string("a\nSet-Cookie: x=1"), std::string("a\x7f")}) {
        const auto answer = ask(service, "GET /api/hello HTTP/1.1\r\nHost: a\r\nx-correlation-id: " + value + "\r\n");
        EXPECT_EQ(answer.head.find("Set-Cookie"), std::string::npos);
        EXPECT_EQ(answer.status, 400U) << value;
    }
    const auto path = ask(service, "GET /api/x%0d%0aSet-Cookie:%20x=1 HTTP/1.1\r\nHost: a\r\n");
    EXPECT_EQ(path.status, 404U);
    EXPECT_EQ(lines(path), lines(reference)) << "neither does a path";
}

TEST(WEB_5, AnUnlistedMethodIsToldTheListedOnes) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    const auto allow = [&](const std::string& method, const std::string& path) {
        const Answer answer = service.call(method, path);
        EXPECT_EQ(answer.status, 405U) << method << " " << path << " " << answer.body;
        if (method != "HEAD") {
            EXPECT_EQ(answer.code_name(), "methodNotAllowed");
        }
        const auto found = answer.headers.find("allow");
        return found == answer.headers.end() ? std::string() : found->second;
    };
    for (const std::string method : {"POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "FOO", "get", "LOCK"})
        EXPECT_EQ(allow(method, "/api/hello"), "GET, HEAD, OPTIONS") << method;
    EXPECT_EQ(allow("GET", "/api/user/login/2fa"), "POST, PATCH, OPTIONS");
    EXPECT_EQ(allow("HEAD", "/api/shared/user/logout"), "POST, OPTIONS") << "no guard, no effect";
    EXPECT_EQ(allow("GET", "/api/admin/user/update/x/2fa/reset"), "PATCH, OPTIONS");
    EXPECT_EQ(service.call("DELETE", "/api/nowhere").status, 404U);
    const auto connect = ask(service, "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n");
    EXPECT_EQ(connect.status, 405U);
    const Answer trace = service.call("TRACE", "/api/hello", {}, {{"X-Secret", "canary"}});
    EXPECT_EQ(trace.body.find("canary"), std::string::npos);
}

TEST(WEB_5, OptionsAndHeadChangeNothing) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    const std::string own = " WHERE user_id = '" + person.id.text() + "'";
    const auto before = service.sql("SELECT * FROM sessions" + own);
    for (const std::string method : {"OPTIONS", "HEAD", "GET"})
        for (const std::string path : {"/api/shared/user/logout", "/api/user/2fa", "/api/user/2fa/setup"})
            EXPECT_EQ(service.call(method, path, {}, bearer(tokens.access)).status / 100, method == "OPTIONS" ? 2U : 4U)
                << method << " " << path;
    EXPECT_EQ(service.sql("SELECT * FROM sessions" + own), before);
    EXPECT_EQ(service.sql("SELECT count(*) FROM two_factors" + own).at(0).at(0), "0");
}

TEST(WEB_5, JsonIsReadFromJsonOnly) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const std::string body =
        json::serialize(json::object{{"email", person.email}, {"password", person.password}, {"from", "website"}});
    const auto status = [&](const std::string& type) {
        return service.call("POST", "/api/user/login/credential", body, {{"Content-Type", type}}).status;
    };
    for (const std::string type :
         {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", "text/xml",
          "application/json5", "application/jsonp", "application/x-json", "application/json, text/plain", "json", "*/*",
          "application/json; charset=utf-16", "application/json;charset=iso-8859-1",
          "application/json; v=1 ;charset=utf-16; charset=utf-8", ""})
        EXPECT_EQ(status(type), 415U) << type;
    for (const std::string type :
         {"application/json", "APPLICATION/JSON", "application/json; charset=utf-8",
          "application/json;charset=\"UTF-8\"", "application/json; charset=utf-8 ; v=1",
          "application/json ;; Charset=UTF-8;", "application/json;", "application/json; x-charset=utf-16"})
        EXPECT_EQ(status(type), 200U) << type;
    for (const std::string coding : {"gzip", "deflate", "br", "gzip, identity"})
        EXPECT_EQ(service.call("POST", "/api/user/login/credential", body, {{"Content-Encoding", coding}}).status, 415U)
            << coding;
    // Form fields in the query do not replace the body.
    EXPECT_EQ(service.call("POST", "/api/user/login/credential?email=" + person.email).status, 422U);
}

TEST(LOG_3, IdsFromOutsideAreTakenInTheirStrictFormOnly) {
    const Service& service = suite_service();
    const auto ids = [&](Headers headers) {
        const Answer answer = service.get("/api/hello", std::move(headers));
        const std::pair out{answer.headers.at("x-request-id"), answer.headers.at("x-correlation-id")};
        EXPECT_EQ(answer.text("metadata.requestId"), out.first);
        EXPECT_EQ(answer.text("metadata.correlationId"), out.second);
        EXPECT_TRUE(Uuid::parse(out.first)) << out.first;
        return out;
    };
    const std::string uuid = "6f1f3c5e-8a34-4c6e-9d1b-2f6f0a1b2c3d";
    EXPECT_EQ(ids({{"x-request-id", uuid}}), (std::pair{uuid, uuid}));
    EXPECT_EQ(ids({{"x-request-id", uuid}, {"x-correlation-id", "Trace_1.a-b"}}),
              (std::pair<std::string, std::string>{uuid, "Trace_1.a-b"}));
    EXPECT_EQ(ids({{"x-correlation-id", std::string(64, 'a')}}).second, std::string(64, 'a'));
    for (const std::string bad :
         {"", "1", "f1f3c5e-8a34-4c6e-9d1b-2f6f0a1b2c3d", "{6f1f3c5e-8a34-4c6e-9d1b-2f6f0a1b2c3d}",
          "6f1f3c5e8a344c6e9d1b2f6f0a1b2c3d", "6f1f3c5e-8a34-4c6e-9d1b-2f6f0a1b2c3g"})
        EXPECT_NE(ids({{"x-request-id", bad}}).first, bad);
    for (const std::string& bad : std::vector<std::string>{std::string(65, 'a'), "a b", "a/b", "a,b", "a;b", "<b>",
                                                           "\xC3\xA9", "a%0d", "a=b", "a\"b"}) {
        const auto [request_id, correlation_id] = ids({{"x-correlation-id", bad}});
        EXPECT_EQ(correlation_id, request_id) << bad;
    }
    EXPECT_NE(ids({}).first, ids({}).first);
    // The rule also applies to a request that is refused before routing.
    const Answer refused =
        service.call("POST", "/api/nowhere", {}, {{"x-correlation-id", "a b"}, {"x-request-id", uuid}});
    EXPECT_EQ(refused.text("metadata.requestId"), uuid);
    EXPECT_EQ(refused.text("metadata.correlationId"), uuid);
}

void expect_no_detail(const Answer& answer, const Service& service) {
    for (const std::string word :
         {"SELECT", "UPDATE", "INSERT", "sqlite", "SQL", "injected", "fault", "queue", "/src/", ".cpp", "exception",
          "consentry::", "std::", "trigger", "sessions", "users", "boost", "libc"})
        EXPECT_EQ(answer.body.find(word), std::string::npos) << word << " in " << answer.body;
    EXPECT_EQ(answer.body.find(service.folder().string()), std::string::npos);
    for (const auto& [name, value] : answer.headers) {
        EXPECT_EQ(value.find("injected"), std::string::npos) << name;
        EXPECT_NE(name, "server");
        EXPECT_NE(name, "x-powered-by");
    }
    std::set<std::string> members;
    for (const auto& member : answer.json.as_object()) members.emplace(member.key());
    members.erase("data");
    EXPECT_EQ(members, (std::set<std::string>{"message", "metadata", "module", "statusCode", "statusCodeKey"}));
    EXPECT_TRUE(Uuid::parse(answer.text("metadata.requestId")));
}

TEST(LOG_6, AFailedWriteTellsNothingButItself) {
    Service service;
    const Person person = service.make_person();
    service.break_writes("INSERT ON sessions");
    const Answer failed = service.log_in(person);
    EXPECT_EQ(failed.status, 503U);
    EXPECT_EQ(failed.code_name(), "serviceUnavailable");
    expect_no_detail(failed, service);
    service.mend_writes();
    EXPECT_EQ(service.log_in(person).status, 200U) << "and the next request is served";
}

TEST(LOG_6, ADamagedRecordIs500AndNoDetail) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    service.sql("UPDATE users SET status = 'weird' WHERE id = '" + person.id.text() + "'");
    for (const Answer& answer : {service.log_in(person), status_with(service, tokens.access)}) {
        EXPECT_EQ(answer.status, 500U) << answer.body;
        EXPECT_EQ(answer.number("statusCode"), 5000);
        EXPECT_EQ(answer.body.find("weird"), std::string::npos);
        expect_no_detail(answer, service);
    }
}

TEST(LOG_6, A503SaysWhenToComeAgainAndNoMore) {
    Service service({{"AUTH_PASSWORD_HASH_THREADS", "1"}, {"AUTH_PASSWORD_HASH_QUEUE_MAX", "1"}});
    std::vector<Person> people;
    for (int i = 0; i < 12; ++i) people.push_back(service.make_person());
    // With one hashing thread and a queue of one, some of twelve concurrent logins find the queue full.
    const auto answers = at_once(people.size(), [&](std::size_t i) { return service.log_in(people[i]); });
    std::size_t refused = 0;
    for (const Answer& answer : answers) {
        if (answer.status == 200) continue;
        ++refused;
        ASSERT_EQ(answer.status, 503U) << answer.body;
        EXPECT_EQ(answer.headers.at("retry-after"), std::to_string(answer.number("data.retryAfterSeconds")));
        EXPECT_GE(answer.number("data.retryAfterSeconds"), 1);
        expect_no_detail(answer, service);
    }
    EXPECT_GT(refused, 0U);
}

TEST(LOG_6, EveryClassOfRefusalIsAnEnvelope) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    const std::vector<std::pair<unsigned, Answer>> refusals{
        {400, service.call("POST", "/api/user/login/credential", "{")},
        {401, service.get("/api/user/2fa/status")},
        {403, service.patch("/api/admin/user/update/" + Uuid::v7(service.clock().now()).text() + "/2fa/reset", {},
                            bearer(tokens.access))},
        {404, service.get("/api/nowhere")},
        {405, service.call("PUT", "/api/hello")},
        {413, service.call("POST", "/api/user/login/credential", std::string(600'000, ' '))},
        {414, service.get("/api/" + std::string(9'000, 'a'))},
        {415, service.call("POST", "/api/user/login/credential", "{}", {{"Content-Type", "text/plain"}})},
        {422, service.post("/api/user/login/credential", {{"x", 1}})},
        {431, service.get("/api/hello", {{"x-filler", std::string(20'000, 'a')}})}};
    for (const auto& [status, answer] : refusals) {
        EXPECT_EQ(answer.status, status) << answer.body;
        EXPECT_FALSE(answer.text("message").empty());
        EXPECT_FALSE(answer.code_name().empty());
        EXPECT_TRUE(Uuid::parse(answer.text("metadata.requestId")));
        EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
        EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
    }
}

}  // namespace
}  // namespace consentry::tests
