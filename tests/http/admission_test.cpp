// The whole service decides from the head of a request: rate limit, API key and guard come before its body (WEB-3).
#include <list>
#include <string>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/raw_call.hpp"

namespace consentry::tests {
namespace {

constexpr std::size_t ten_megabytes = 10U << 20;

std::string import_head(const std::string& more = {}, std::size_t length = ten_megabytes) {
    return "POST /api/admin/user/import HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: " +
           std::to_string(length) + "\r\n" + more + "\r\n";
}
std::string login_head(std::size_t length, const std::string& more = {}) {
    return "POST /api/public/user/login/credential HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(length) + "\r\n" + more + "\r\n";
}

TEST(WEB_3, StrangersFillNoMemoryWithFiles) {
    // Before this rule, 30 unauthenticated connections that each declared 10 MiB and withheld the last byte occupied
    // 332 MiB.
    Service& service = suite_service();
    std::list<RawClient> strangers;
    for (int i = 0; i < 30; ++i) {
        RawClient& one = strangers.emplace_back(service.port());
        one.send(import_head() + std::string(100'000, 'x'));
        const RawAnswer answer = one.read_answer();
        EXPECT_EQ(answer.status, 401U) << "the other bytes never come";
        EXPECT_NE(answer.body.find("jwtAccessTokenInvalid"), std::string::npos) << answer.body;
        EXPECT_EQ(answer.header("connection"), "close");
    }
    EXPECT_EQ(service.app().server().bodies().held_most(), 0U);
}

TEST(WEB_3, WhoMayNotIsRefusedBeforeTheBodyAsWell) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    RawClient client(service.port());
    client.send(import_head("Authorization: Bearer " + tokens.access + "\r\nExpect: 100-continue\r\n"));
    EXPECT_EQ(client.read_answer().status, 403U) << "not 100";
    RawClient unknown(service.port());
    unknown.send("POST /api/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
    EXPECT_EQ(unknown.read_answer().status, 404U);
    EXPECT_EQ(service.app().server().bodies().held_most(), 0U);
}

TEST(WEB_3, TheLimiterAndTheApiKeyStandBeforeTheBody) {
    Service service({{"THROTTLE_LIMIT", "1"}, {"THROTTLE_TTL_IN_MS", "60000"}, {"AUTH_API_KEY_REQUIRED", "true"}});
    RawClient first(service.port());
    first.send(login_head(500'000));
    const RawAnswer keyless = first.read_answer();
    EXPECT_EQ(keyless.status, 401U);
    EXPECT_NE(keyless.body.find("xApiKeyRequired"), std::string::npos) << keyless.body;
    RawClient second(service.port());
    second.send(login_head(500'000));
    EXPECT_EQ(second.read_answer().status, 429U);
    EXPECT_EQ(service.app().server().bodies().held_most(), 0U);
}

TEST(WEB_3, ABodyBehindItsHeadIsReadOnceItsSenderIsKnown) {
    Service service;
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    RawClient client(service.port());
    const std::string body = R"({"name":"A. Person"})" + std::string(40'000, ' ');
    for (int i = 0; i < 2; ++i) {
        client.send(
            "PUT /api/shared/user/profile/update HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "Expect: 100-continue\r\nAuthorization: Bearer " +
            tokens.access + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
        EXPECT_EQ(client.read_answer().status, 100U);
        client.send(body);
        EXPECT_EQ(client.read_answer().status, 200U);
    }
    const auto& bodies = service.app().server().bodies();
    EXPECT_EQ(bodies.held_most(), body.size());
    client.send("GET /api/hello HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 200U);
    EXPECT_EQ(bodies.held(), 0U);
}

TEST(WEB_3, ABodyThatNeverComesIsA408AndNotAsked) {
    Service service({{"HTTP_BODY_TIMEOUT", "100ms"}});
    RawClient client(service.port());
    client.send(login_head(100) + "{");
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 408U);
    EXPECT_EQ(answer.header("connection"), "close");
}

TEST(WEB_3, BodiesOfStrangersShareTheirBudgetByNetwork) {
    Service service({{"HTTP_BODY_MEMORY_MAX_IN_MB", "16"}});
    const auto& bodies = service.app().server().bodies();
    // The operation is public, so it authenticates no caller. Each request withholds its last byte.
    std::list<RawClient> greedy;
    constexpr std::size_t each = 500'000;
    while (bodies.held() + each <= bodies.whole()) {
        const std::size_t before = bodies.held();
        greedy.emplace_back(service.port()).send(login_head(each) + std::string(each - 1, ' '));
        while (bodies.held() == before) std::this_thread::yield();
    }
    RawClient more(service.port());
    more.send(login_head(each));
    const RawAnswer full = more.read_answer();
    EXPECT_EQ(full.status, 503U);
    EXPECT_EQ(full.header("retry-after"), "1");

    RawClient other(service.port(), "127.0.0.2");
    const std::string body = R"({"email":"nobody@example.org"})" + std::string(each - 100, ' ');
    other.send(login_head(body.size()) + body);
    EXPECT_EQ(other.read_answer().status, 422U) << "read, and found to lack a password";
    EXPECT_EQ(greedy.front().read_answer().status, 503U) << "who holds most has made room";
    EXPECT_LE(bodies.held_most(), bodies.whole());
}

TEST(FLT_5, NoMoreConnectionsThanFilesMayBeOpen) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit few{.rlim_cur = 400, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    {
        Service service;
        EXPECT_EQ(service.app().server().places().whole(), 350U);
    }
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST(FLT_5, WhoeverFindsNoPlaceIsToldWhenToComeAgain) {
    Service service({{"HTTP_CONNECTIONS_MAX", "1"}});
    RawClient busy(service.port());
    busy.send(login_head(10, "Expect: 100-continue\r\n"));
    EXPECT_EQ(busy.read_answer().status, 100U) << "its body is being waited for, and gives way to no equal";
    RawClient second(service.port());
    second.send("GET /api/hello HTTP/1.1\r\nHost: x\r\n\r\n");
    const RawAnswer answer = second.read_answer();
    EXPECT_EQ(answer.status, 503U);
    EXPECT_EQ(answer.header("retry-after"), "1");
    EXPECT_NE(answer.body.find("serviceUnavailable"), std::string::npos) << answer.body;
    EXPECT_NE(answer.header("x-request-id"), "");
}

}  // namespace
}  // namespace consentry::tests
