// The HTTP server against slow peers and against shortage of its own: deadlines, cancellation, file descriptors.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "base/handoff.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using http::ServerOptions;

ServerOptions hasty_options() {
    ServerOptions options = on_loopback();
    options.body_timeout = options.write_timeout = options.request_timeout = 60ms;
    options.head_timeout = 200ms;  // also applies to the first byte, which a busy test must send in time
    options.idle_timeout = 10s;
    return options;
}

TEST(WEB_4, ASlowHeadIsA408) {
    const RunningServer running(hasty_options());
    const RawAnswer answer = running.ask("GET /a HTTP/1.1\r\nHo");
    EXPECT_EQ(answer.status, 408U);
    EXPECT_EQ(answer.header("connection"), "close");
}

TEST(WEB_4, DrippingBytesDoNotExtendTheDeadline) {
    const RunningServer running(hasty_options());
    RawClient client{running.server.port()};
    std::string_view rest = "GET /a HTTP/1.1\r\nHost: a\r\nX: ";
    client.send(rest);
    std::thread drip([&] {
        while (client.send("x")) std::this_thread::yield();
    });
    EXPECT_THAT((std::vector<unsigned>{408U, 431U}), testing::Contains(client.read_answer().status));
    while (!client.is_closed()) {
    }
    drip.join();
}

TEST(WEB_4, ASlowBodyIsA408) {
    const RunningServer running(hasty_options());
    for (const std::string_view start : {"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab",
                                         "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\nab",
                                         "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
        RawClient client{running.server.port()};
        client.send(start);
        EXPECT_EQ(client.read_answer().status, 408U) << start;
        EXPECT_TRUE(client.is_closed()) << start;
    }
    EXPECT_TRUE(running.application.seen().empty());
}

TEST(WEB_4, ABodyHasItsOwnTimeAndTheWorkBeginsAfterIt) {
    ServerOptions options = hasty_options();
    options.body_timeout = 1h;
    const RunningServer running(options);
    RawClient slow{running.server.port()};
    slow.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\nExpect: 100-continue\r\n\r\n");
    ASSERT_EQ(slow.read_answer().status, 100U);
    EXPECT_EQ(running.ask("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n").status, 408U) << "later, and yet its time is up";
    slow.send(std::string(50'000, 'b'));
    EXPECT_EQ(slow.read_answer().status, 200U);
}

TEST(WEB_4, AnIdleConnectionIsClosedWithoutAWord) {
    ServerOptions options = hasty_options();
    options.idle_timeout = 50ms;
    const RunningServer running(options);
    RawClient used{running.server.port()};
    used.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(used.read_answer().status, 200U);
    EXPECT_EQ(used.read_all(), "");
}

TEST(WEB_4, AConnectionThatNeverSendsAByteHasTheTimeOfAHead) {
    ServerOptions options = hasty_options();
    options.idle_timeout = 1h;
    const RunningServer running(options);
    RawClient fresh{running.server.port()};
    EXPECT_EQ(fresh.read_all(), "");
}

// RFC 9112 section 2.2: the line is ignored, so no request has begun that the server could answer.
TEST(WEB_4, AnEmptyLineBeginsNoRequest) {
    ServerOptions options = hasty_options();
    options.idle_timeout = 500ms;  // longer than that of a head
    const RunningServer running(options);
    RawClient used{running.server.port()};
    used.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(used.read_answer().status, 200U);
    used.send("\r\n");
    EXPECT_EQ(used.read_all(), "");
    RawClient fresh{running.server.port()};
    fresh.send("\r\n");
    EXPECT_EQ(fresh.read_all(), "");
}

TEST(WEB_4, AnEmptyLineIsForgottenByNoWait) {
    ServerOptions options = hasty_options();
    options.head_timeout = 10s;
    const RunningServer running(options);
    for (const bool is_second : {false, true}) {
        RawClient client{running.server.port()};
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(client.read_answer().status, 200U);
        client.send("\r\n");
        // By the time of another answer, the only thread has read the line.
        EXPECT_EQ(running.ask("GET /b HTTP/1.1\r\nHost: a\r\n\r\n").status, 200U);
        client.send(is_second ? "\r\n" : "GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(client.read_answer().status, is_second ? 400U : 200U);
    }
}

TEST(WEB_4, APeerThatDoesNotReadIsLeft) {
    ServerOptions options = hasty_options();
    options.request_timeout = 10s;
    const RunningServer running(options);
    RawClient client{running.server.port(), 4096};
    client.send("GET /large?30000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    // The client does not read, so wait until the server has no connection left.
    while (running.server.connections() > 0 || running.application.seen().empty()) std::this_thread::yield();
    EXPECT_LT(client.read_all().size(), 30'000'000U);
}

TEST(WEB_4, ARequestThatTakesTooLongIsCanceledAndA408) {
    const RunningServer running(hasty_options());
    RawClient client{running.server.port()};
    client.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n");
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 408U);
    EXPECT_EQ(answer.header("connection"), "close");
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(running.ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").status, 200U);
}

// Waits for a result from another thread that does not arrive during the request.
class DeafApplication final : public TellingApplication {
public:
    boost::asio::awaitable<void> respond(const http::Request&, http::Response&) override {
        try {
            co_await handoff<int>([this](Promise<int> promise) { kept_.emplace_back(std::move(promise)); });
        } catch (const boost::system::system_error& error) {
            ended_with = error.code();
            throw;
        }
    }
    void let_go() { kept_.clear(); }  // a promise refers to the server's thread and must not outlive it
    boost::system::error_code ended_with;

private:
    std::vector<Promise<int>> kept_;
};

TEST(WEB_4, WaitingForAnotherThreadEndsAtTheDeadline) {
    DeafApplication application;
    http::Server server(hasty_options(), application);
    server.start();
    RawClient client{server.port()};
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 408U);
    client.close();
    server.stop();
    server.join();
    application.let_go();
    EXPECT_EQ(application.ended_with, boost::asio::error::operation_aborted);
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(FLT_5, OutOfFileHandlesAcceptingPausesWithoutSpinning) {
    const RunningServer running;
    RawClient client{running.server.port()};
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 200U);

    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const int waiting = socket(AF_INET, SOCK_STREAM, 0);
    // A new descriptor gets the lowest free number. Lowering the limit to that number leaves no free descriptor.
    const int lowest_free = dup(waiting);
    close(lowest_free);
    const rlimit none{.rlim_cur = static_cast<rlim_t>(lowest_free), .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(running.server.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(waiting, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    constexpr std::string_view request = "GET /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    ASSERT_EQ(send(waiting, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));

    const double cpu_before = cpu_seconds();
    pollfd answer{.fd = waiting, .events = POLLIN, .revents = 0};
    EXPECT_EQ(poll(&answer, 1, 400), 0) << "nobody could accept it";
    EXPECT_LT(cpu_seconds() - cpu_before, 0.2);
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 200U) << "open connections are served meanwhile";

    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(poll(&answer, 1, 10'000), 1) << "accepted once there is room";
    close(waiting);
}

}  // namespace
}  // namespace consentry::tests
