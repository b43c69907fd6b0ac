// How the HTTP server reads bytes from real sockets: it reads each message in one way or refuses it.
#include <cstdio>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "tests/support/instrumented.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/refused_requests.hpp"

namespace consentry::tests {
namespace {

using namespace std::string_literals;
using http::ServerOptions;

constexpr std::string_view smuggled = "GET /smuggled HTTP/1.1\r\nHost: example.com\r\n\r\n";

TEST(WEB_1, AmbiguousRequestsAreRefusedAndNothingBehindThemIsRead) {
    const RunningServer running;
    const std::vector<Refused> refused = refused_requests();
    EXPECT_GE(refused.size(), 100U);
    for (const Refused& expected : refused) {
        RawClient client = RawClient{running.server.port()};
        client.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\n" + expected.request + std::string{smuggled});
        EXPECT_EQ(client.read_answer().status, 200U);
        const RawAnswer answer = client.read_answer();
        const std::string shown = expected.request.substr(0, 200);
        EXPECT_EQ(answer.status, expected.status) << shown;
        EXPECT_EQ(answer.header("connection"), "close") << shown;
        EXPECT_TRUE(client.is_closed()) << shown;
    }
    for (const std::string& target : running.application.seen()) EXPECT_EQ(target, "/before");
}

// An HTTP/2 client begins with this preface, or requests an upgrade in HTTP/1.1 (RFC 9113 section 3). Consentry
// supports neither, so floods of frames, resets and settings do not affect it.
TEST(WEB_9, ThePrefaceOfHttp2IsRefused) {
    const RunningServer running;
    RawClient client = RawClient{running.server.port()};
    client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"s + "\0\0\0\4\0\0\0\0\0"s);
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 505U);
    EXPECT_TRUE(answer.head.starts_with("HTTP/1.1 "));
    EXPECT_TRUE(client.is_closed());
    EXPECT_TRUE(running.application.seen().empty());
}

TEST(WEB_9, AnUpgradeToHttp2IsNone) {
    const RunningServer running;
    RawClient client = RawClient{running.server.port()};
    const auto ask = [&](const std::string& headers) {
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n");
        return client.read_answer();
    };
    for (const std::string headers :
         {"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
          "Connection: Upgrade\r\nUpgrade: h2\r\n", "Upgrade: h2c\r\n"}) {
        const RawAnswer answer = ask(headers);
        EXPECT_EQ(answer.status, 200U) << headers;
        EXPECT_TRUE(answer.head.starts_with("HTTP/1.1 ")) << headers;
        EXPECT_EQ(answer.header("upgrade"), "") << headers;
        EXPECT_EQ(answer.body, "GET /a ") << headers;
    }
    EXPECT_EQ(ask("").status, 200U) << "the same connection goes on in HTTP/1.1";
    EXPECT_EQ(running.application.seen().size(), 4U);
}

TEST(WEB_1, TheEndOfInputCompletesNothing) {
    const RunningServer running;
    for (const std::string_view part :
         {"GET /victim HTTP/1.1\r\nHost: a\r\n", "GET /victim HTTP/1.1", "G", "GET /victim\r\n",
          "POST /victim HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc",
          "POST /victim HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
          "POST /victim HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n"}) {
        RawClient client{running.server.port()};
        client.send(part);
        client.finish_sending();
        EXPECT_EQ(client.read_answer().status, 400U) << part;
        EXPECT_TRUE(client.is_closed()) << part;
    }
    EXPECT_TRUE(running.application.seen().empty());
}

TEST(WEB_1, UnusualButClearRequestsAreUnderstood) {
    const RunningServer running;
    const std::pair<std::string, std::string> cases[] = {
        {"\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a "},
        {"GET /a HTTP/1.1\r\nHOST:a\r\n\r\n", "GET /a "},
        {"GET /a HTTP/1.1\r\nHost: \t a:8080 \t\r\n\r\n", "GET /a "},
        {"GET /a HTTP/1.1\r\nHost: [::1]:8080\r\nX:\r\n\r\n", "GET /a "},
        {"GET /a HTTP/1.1\r\nHost: a\r\nX: \xC3\xA9\r\n\r\n", "GET /a "},
        {"GET /a?b=c&d HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a?b=c&d "},
        {"GET http://example.com/a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://example.com/a "},
        {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * "},
        {"GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "GET /a "},
        {"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 003\r\n\r\nabc", "POST /a abc"},
        {"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n",
         "POST /a abc"},
        {"POST /a HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nabc", "POST /a abc"},
    };
    RawClient client{running.server.port()};
    for (const auto& [request, body] : cases) {
        client.send(request);
        EXPECT_EQ(client.read_answer().body, body) << request;
    }
}

TEST(WEB_5, MethodsThatAreNotServedReachTheApplicationAndEndTheConnection) {
    const RunningServer running;
    for (const std::string& line : {"TRACE /a"s, "CONNECT a:80"s, "CONNECT [::1]:443"s, "CONNECT /a"s, "FOO /a"s,
                                    "get /a"s, "PROPFIND /a"s, "QUERY /a"s, "PRI /a"s}) {
        RawClient client{running.server.port()};
        client.send(line + " HTTP/1.1\r\nHost: a\r\n\r\n" + std::string{smuggled});
        const RawAnswer answer = client.read_answer();
        EXPECT_EQ(answer.body, line + " ");
        EXPECT_EQ(answer.header("connection"), "close") << line;
        EXPECT_TRUE(client.is_closed()) << line;
    }
}

TEST(WEB_1, EveryCutOfTheBytesReadsTheSame) {
    const RunningServer running;
    const std::string request =
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;e\r\nhello\r\n1\r\n!\r\n0\r\nT: v\r\n\r\n";
    RawClient client{running.server.port()};
    for (std::size_t cut = 1; cut < request.size(); ++cut) {
        client.send(std::string_view{request}.substr(0, cut));
        client.send(std::string_view{request}.substr(cut));
        EXPECT_EQ(client.read_answer().body, "POST /a hello!") << cut;
    }
}

TEST(WEB_2, HeaderValuesAreNotDecodedAndMakeNoLines) {
    const RunningServer running;
    for (const std::string_view value : {"a%0d%0aInjected: 1", "a%0aInjected: 1", "a%00b", "a\\r\\nInjected: 1"}) {
        const RawAnswer answer =
            running.ask("GET /a HTTP/1.1\r\nHost: a\r\nx-canary: " + std::string{value} + "\r\n\r\n");
        EXPECT_EQ(answer.header("x-canary"), value);
        EXPECT_EQ(answer.header("injected"), "");
    }
    for (const std::string& value : {"a\rInjected: 1"s, "a\nInjected: 1"s, "a\0b"s}) {
        const RawAnswer answer = running.ask("GET /a HTTP/1.1\r\nHost: a\r\nx-canary: " + value + "\r\n\r\n");
        EXPECT_EQ(answer.status, 400U);
        EXPECT_EQ(answer.header("injected"), "");
    }
}

TEST(WEB_2, ARefusalTellsWhatWasUnderstoodBeforeIt) {
    const RunningServer running;
    const RawAnswer answer = running.ask("GET /known?q HTTP/1.1\r\nHost: a\r\nx-custom-lang: fr\r\nX : y\r\n\r\n");
    EXPECT_EQ(answer.status, 400U);
    EXPECT_EQ(answer.header("x-path"), "/known");
    EXPECT_EQ(answer.header("x-lang"), "fr");
    EXPECT_EQ(answer.body, "badRequest");
}

TEST(WEB_3, LimitsHoldToTheByte) {
    ServerOptions options = on_loopback();
    options.head_bytes_max = 2000;
    options.target_bytes_max = 500;
    options.json_bytes_max = 3000;
    options.text_bytes_max = 50'000;
    const RunningServer running(options);

    EXPECT_EQ(running.ask(to("/" + std::string(499, 'a'))).status, 200U);
    EXPECT_EQ(running.ask(to("/" + std::string(500, 'a'))).status, 414U);

    const std::size_t around = with("X: ").size();
    EXPECT_EQ(running.ask(with("X: " + std::string(2000 - around, 'x'))).status, 200U);
    EXPECT_EQ(running.ask(with("X: " + std::string(2001 - around, 'x'))).status, 431U);

    const auto body = [](std::string_view type, std::size_t length) {
        return "POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: " + std::string{type} +
               "\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" + std::string(length, 'b');
    };
    const auto chunks = [](std::string_view type, std::size_t length) {
        return "POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: " + std::string{type} +
               "\r\nTransfer-Encoding: chunked\r\n\r\n3E8\r\n" + std::string(1000, 'b') + "\r\n" +
               [](std::size_t rest) {
                   char size[20];
                   std::snprintf(size, sizeof size, "%zx\r\n", rest);
                   return std::string{size} + std::string(rest, 'b') + "\r\n0\r\n\r\n";
               }(length - 1000);
    };
    for (const auto& make : {std::function<std::string(std::string_view, std::size_t)>{body}, {chunks}}) {
        EXPECT_EQ(running.ask(make("application/json", 3000)).status, 200U);
        EXPECT_EQ(running.ask(make("application/json", 3001)).status, 413U);
        EXPECT_EQ(running.ask(make("application/vnd.x+json;charset=utf-8", 3001)).status, 413U);
        EXPECT_EQ(running.ask(make("text/plain", 50'000)).status, 200U);
        EXPECT_EQ(running.ask(make("text/plain", 50'001)).status, 413U);
        EXPECT_EQ(running.ask(make("text/plain", 50'000)).body.size(), 50'000U + 8);
    }
}

TEST(WEB_3, ABodyThatIsDeclaredTooLargeIsRefusedUnread) {
    const RunningServer running;
    RawClient client{running.server.port()};
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 413U);
    // A client that is still sending receives the answer as well, because the server does not reset the connection at
    // once.
    RawClient hasty{running.server.port()};
    hasty.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n" + std::string(2'000'000, 'b'));
    EXPECT_EQ(hasty.read_answer().status, 413U);
}

// Each field takes more memory than its four bytes in the head.
TEST(WEB_3, AHeadHasAtMost128Fields) {
    const RunningServer running;
    const auto with_fields = [](std::size_t count) {
        std::string request = "GET /a?q HTTP/1.1\r\nHost: a\r\n";
        for (std::size_t i = 1; i < count; ++i) request += "a:\r\n";
        return request + "\r\n";
    };
    EXPECT_EQ(running.ask(with_fields(128)).status, 200U);
    for (const std::size_t count : {129U, 4'000U}) {
        RawClient client{running.server.port()};
        client.send(with_fields(count) + std::string{smuggled});
        const RawAnswer answer = client.read_answer();
        EXPECT_EQ(answer.status, 431U) << count;
        EXPECT_EQ(answer.body, "requestHeaderFieldsTooLarge");
        EXPECT_EQ(answer.header("x-path"), "/a");
        EXPECT_TRUE(client.is_closed());
    }
}

TEST(WEB_3, EndlessChunksCostNoMemory) {
    const RunningServer running;
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    RawClient client{running.server.port()};
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "4000\r\n" + std::string(0x4000, 'c') + "\r\n";
    for (int i = 0; i < 2000 && client.send(chunk); ++i) {
    }
    EXPECT_EQ(client.read_answer().status, 413U);
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    if constexpr (!tests::instrumented)
        EXPECT_LE(after.ru_maxrss - before.ru_maxrss, 4 * 1024) << "KiB, the client's own included";
}

TEST(WEB_8, NothingOfOneRequestShowsInAnother) {
    constexpr int connections = 4;
    constexpr int rounds = 500;
    constexpr int pipelined = 50;
    ServerOptions options = on_loopback();
    options.threads = 2;
    RunningServer running(options);
    const auto talk = [&running](int number) {
        RawClient client{running.server.port()};
        int wrong = 0;
        for (int round = 0; round < rounds; ++round) {
            std::string bytes;
            std::vector<std::string> expected;
            std::vector<std::string> canaries;
            for (int i = 0; i < pipelined; ++i) {
                const std::string id = std::to_string(number) + "-" + std::to_string(round) + "-" + std::to_string(i);
                const std::string body(static_cast<std::size_t>((round * 37 + i * 101) % (i % 10 == 0 ? 20'000 : 300)),
                                       static_cast<char>('a' + (number + i) % 26));
                const bool canary = i % 2 == 0;
                canaries.push_back(canary ? id : "none");
                const std::string head = " /" + std::string{i % 7 == 0 ? "turn" : "echo"} + "?" + id +
                                         " HTTP/1.1\r\nHost: a\r\n" + (canary ? "x-canary: " + id + "\r\n" : "");
                const std::string path = "/" + std::string{i % 7 == 0 ? "turn" : "echo"} + "?" + id + " ";
                if (i % 3 == 0) {
                    bytes += "GET" + head + "\r\n";
                    expected.push_back("GET " + path);
                } else if (i % 3 == 1) {
                    bytes += "POST" + head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
                    expected.push_back("POST " + path + body);
                } else {
                    char size[20];
                    std::snprintf(size, sizeof size, "%zx\r\n", body.size());
                    bytes += "PUT" + head + "Transfer-Encoding: chunked\r\n\r\n" +
                             (body.empty() ? "" : size + body + "\r\n") + "0\r\n\r\n";
                    expected.push_back("PUT " + path + body);
                }
            }
            client.send(bytes);
            for (int i = 0; i < pipelined; ++i) {
                const RawAnswer answer = client.read_answer();
                const auto at = static_cast<std::size_t>(i);
                if (answer.status != 200 || answer.body != expected[at] || answer.header("x-canary") != canaries[at])
                    ++wrong;
            }
            if (round % 50 == 0) {  // a connection that dies in the middle of a body must leave nothing behind
                RawClient aborted{running.server.port()};
                aborted.send(
                    "POST /echo HTTP/1.1\r\nHost: a\r\nx-canary: aborted\r\nContent-Length: 9000\r\n\r\nSECRET");
            }
        }
        return wrong;
    };
    std::vector<std::future<int>> clients;
    for (int i = 0; i < connections; ++i) clients.push_back(std::async(std::launch::async, talk, i));
    for (auto& client : clients) EXPECT_EQ(client.get(), 0);
    EXPECT_EQ(running.application.seen().size(), static_cast<std::size_t>(connections * rounds * pipelined));
}

}  // namespace
}  // namespace consentry::tests
