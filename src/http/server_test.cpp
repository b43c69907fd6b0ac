#include "http/server.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <future>
#include <mutex>
#include <new>
#include <set>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <poll.h>

#include "base/worker_pool.hpp"
#include "http/io_thread.hpp"
#include "http/listeners.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::http {
namespace {

using namespace std::chrono_literals;
using tests::on_loopback;
using tests::RawAnswer;
using tests::RawClient;
using tests::RunningServer;

TEST(Server, AnswersManyRequestsOnOneConnection) {
    RunningServer running;
    RawClient client{running.server.port()};
    for (int i = 0; i < 3; ++i) {
        client.send("POST /echo?n=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
        const RawAnswer answer = client.read_answer();
        EXPECT_EQ(answer.status, 200U);
        EXPECT_EQ(answer.body, "POST /echo?n=1 abc");
        EXPECT_EQ(answer.header("connection"), "");
        EXPECT_TRUE(answer.header("date").ends_with(" GMT"));
    }
    EXPECT_EQ(running.server.connections(), 1U);
}

// Regression: the look whether a port is free listened on it for a moment, and then reset who had connected.
TEST(Server, AcceptsNobodyWhileItLooksWhetherItsPortIsFree) {
    namespace asio = boost::asio;
    using asio::ip::tcp;
    asio::io_context context;
    const std::string host = "127.0.0.77";  // where no other test listens meanwhile
    const std::uint16_t port = open_listeners(host, 0, {&context}).port;
    const tcp::endpoint server{asio::ip::make_address(host), port};
    std::atomic<int> heard = 0;
    {
        const std::jthread client([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                tcp::socket socket(context, tcp::v4());
                // Another address, because a socket could connect to itself.
                socket.bind({asio::ip::make_address("127.0.0.2"), 0});
                socket.non_blocking(true);
                const int at_once =
                    ::connect(socket.native_handle(), server.data(), static_cast<socklen_t>(server.size())) == 0
                        ? 0
                        : errno;
                // Without a listener, the kernel refuses at once. A client that was half connected when the listener
                // closed would wait for a second.
                pollfd waiting{.fd = socket.native_handle(), .events = POLLOUT, .revents = 0};
                const bool is_over = ::poll(&waiting, 1, 700) == 1;
                int error = 0;
                socklen_t size = sizeof error;
                ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_ERROR, &error, &size);
                const bool refused = at_once == ECONNREFUSED || (is_over && error == ECONNREFUSED);
                if (!refused) ++heard;
            }
        });
        for (int i = 0; i < 10'000; ++i) require_listenable(host, port);
    }
    EXPECT_EQ(heard, 0);
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
    RunningServer running;
    RawClient client{running.server.port()};
    std::string bytes;
    for (int i = 0; i < 200; ++i)
        bytes += "GET " + std::string{i % 3 == 0 ? "/turn" : "/echo"} + "?" + std::to_string(i) +
                 " HTTP/1.1\r\nHost: x\r\n\r\n";
    client.send(bytes);
    for (int i = 0; i < 200; ++i)
        EXPECT_EQ(client.read_answer().body,
                  "GET " + std::string{i % 3 == 0 ? "/turn" : "/echo"} + "?" + std::to_string(i) + " ");
}

TEST(Server, DoesNotKeepAnAnswerBackForASlowerOneBehindIt) {
    ServerOptions options = on_loopback();
    options.stop_timeout = 10ms;
    RunningServer running(options);
    RawClient client{running.server.port()};
    client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read_answer().body, "GET /first ");
    client.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
}

TEST(Server, ClosesWhereOneSideAsksForIt) {
    RunningServer running;
    for (const std::string_view request :
         {"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /a HTTP/1.0\r\nHost: x\r\n\r\n",
          "GET /close HTTP/1.1\r\nHost: x\r\n\r\n", "GET /close HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"}) {
        RawClient client{running.server.port()};
        client.send(request);
        const RawAnswer answer = client.read_answer();
        EXPECT_EQ(answer.status, 200U) << request;
        EXPECT_EQ(answer.header("connection"), "close") << request;
        EXPECT_TRUE(client.is_closed()) << request;
    }
}

TEST(Server, KeepsAnHttp10ConnectionThatAsksForIt) {
    RunningServer running;
    RawClient client{running.server.port()};
    for (int i = 0; i < 2; ++i) {
        client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        EXPECT_EQ(client.read_answer().header("connection"), "keep-alive");
    }
}

TEST(Server, SendsNoBodyForHeadAnd204And304) {
    RunningServer running;
    RawClient client{running.server.port()};
    client.send("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n");
    const RawAnswer head = client.read_answer(true);
    EXPECT_EQ(head.header("content-length"), "11");
    for (const unsigned status : {204U, 304U}) {
        client.send("GET /" + std::to_string(status) + " HTTP/1.1\r\nHost: x\r\n\r\n");
        const RawAnswer answer = client.read_answer();
        EXPECT_EQ(answer.status, status) << "a body of the answer before it would stand here";
        EXPECT_EQ(answer.header("content-length"), "");
    }
}

TEST(Server, AnswersExpectContinueBeforeItReadsTheBody) {
    RunningServer running;
    RawClient client{running.server.port()};
    for (int i = 0; i < 2; ++i) {
        client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
        EXPECT_EQ(client.read_answer().status, 100U);
        client.send("abc");
        EXPECT_EQ(client.read_answer().body, "POST /a abc");
    }
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 413U) << "not 100: the client need not send what will not be read";
    EXPECT_EQ(running.ask("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: tea\r\n\r\n").status, 417U);
}

TEST(Server, AnswersAClientThatHasFinishedSending) {
    RunningServer running;
    RawClient client{running.server.port()};
    client.send("GET /turn HTTP/1.1\r\nHost: x\r\n\r\n");
    client.finish_sending();
    EXPECT_EQ(client.read_answer().status, 200U);
    EXPECT_TRUE(client.is_closed());
}

TEST(Server, WritesLargeAnswersWhole) {
    RunningServer running;
    RawClient client{running.server.port()};
    client.send("GET /large?8000000 HTTP/1.1\r\nHost: x\r\n\r\nGET /after HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read_answer().body, std::string(8'000'000, 'L'));
    EXPECT_EQ(client.read_answer().body, "GET /after ");
}

TEST(Server, KeepsNoMemoryOfLargeAnswers) {
    tests::TellingApplication application;
    http::ServerState state(on_loopback(), application);
    http::IoThread thread(state, 1s);
    auto workspace = thread.borrow_workspace();
    for (std::string* text : {&workspace->response.headers, &workspace->response.body, &workspace->out})
        text->assign(1'000'000, 'L');
    thread.give_back(std::move(workspace));
    workspace = thread.borrow_workspace();
    for (const std::string* text : {&workspace->response.headers, &workspace->response.body, &workspace->out})
        EXPECT_LE(text->capacity(), 64U << 10);
}

TEST(Server, ServesOnEveryThreadAndAddress) {
    ServerOptions options = on_loopback();
    options.host = "localhost";
    options.threads = 3;
    RunningServer running(options);
    EXPECT_EQ(running.server.threads(), 3U);
    for (int i = 0; i < 30; ++i) EXPECT_EQ(running.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status, 200U);
}

// Opens free ports on several threads at once, and returns how many of them more than one listener got.
std::size_t shared_free_ports() {
    constexpr int each = 150;
    std::array<boost::asio::io_context, 4> contexts;
    std::mutex mutex;
    std::set<std::uint16_t> ports;
    std::vector<Listeners> open;
    std::size_t shared = 0;
    std::vector<std::jthread> starters;
    for (boost::asio::io_context& context : contexts)
        starters.emplace_back([&] {
            for (int i = 0; i < each; ++i) {
                Listeners listeners = open_listeners("127.0.0.78", 0, {&context});
                const std::lock_guard lock(mutex);
                if (!ports.insert(listeners.port).second) ++shared;
                open.push_back(std::move(listeners));
            }
        });
    starters.clear();  // waits for them
    return shared;
}

TEST(Server, ServersThatStartTogetherGetDifferentFreePorts) {
    std::size_t shared = 0;
    for (int round = 0; round < 100; ++round) shared += shared_free_ports();
    EXPECT_EQ(shared, 0U);
}

TEST(Server, RefusesAPortThatIsInUseAndNamesIt) {
    RunningServer running;
    ServerOptions options = on_loopback();
    options.port = running.server.port();
    try {
        Server second(options, running.application);
        FAIL() << "two servers on one port";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::address_in_use);
        EXPECT_NE(std::string_view{error.what()}.find("127.0.0.1:" + std::to_string(options.port)),
                  std::string_view::npos)
            << error.what();
    }
}

TEST(Server, RefusesAHostThatDoesNotExist) {
    tests::TellingApplication application;
    ServerOptions options = on_loopback();
    options.host = "no-such-host.invalid";
    EXPECT_THROW(Server(options, application), std::runtime_error);
}

TEST(Server, StopsWithoutConnectionsAtOnce) {
    RunningServer running;
    running.server.stop();
    running.server.stop();
    running.server.join();
    EXPECT_THROW(RawClient{running.server.port()}, std::runtime_error);
}

TEST(Server, NeedNotBeStarted) {
    tests::TellingApplication application;
    const Server server(on_loopback(), application);
    EXPECT_NE(server.port(), 0);
}

// Holds a request until the test releases it.
class HoldingApplication final : public tests::TellingApplication {
public:
    boost::asio::awaitable<void> respond(const Request& request, Response& response) override {
        remember(request.target);
        arrived.set_value();
        const auto released = released_.get_future().share();
        co_await pool_.run([released] {
            released.wait();
            return true;
        });
        response.body = "held";
    }
    void release() { released_.set_value(); }
    std::promise<void> arrived;

private:
    std::promise<void> released_;
    WorkerPool pool_{{.name = "holding", .threads = 1, .queue_max = 1, .nice = 0}};
};

TEST(Server, LetsOpenRequestsFinishWhenItStops) {
    HoldingApplication application;
    Server server(on_loopback(), application);
    server.start();
    RawClient idle{server.port()};
    RawClient busy{server.port()};
    busy.send("GET /held HTTP/1.1\r\nHost: x\r\n\r\nGET /behind HTTP/1.1\r\nHost: x\r\n\r\n");
    application.arrived.get_future().wait();
    server.stop();
    EXPECT_TRUE(idle.is_closed());
    application.release();
    const RawAnswer answer = busy.read_answer();
    EXPECT_EQ(answer.body, "held");
    EXPECT_EQ(answer.header("connection"), "close");
    EXPECT_TRUE(busy.is_closed());
    busy.close();
    server.join();
    EXPECT_EQ(application.seen(), std::vector<std::string>{"/held"});
}

TEST(Server, CancelsRequestsThatOutlastTheStop) {
    ServerOptions options = on_loopback();
    options.stop_timeout = 50ms;
    RunningServer running(options);
    RawClient client{running.server.port()};
    client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 200U);
    running.server.stop();
    running.server.join();
    EXPECT_EQ(running.server.connections(), 0U);
    EXPECT_TRUE(client.is_closed());
}

constexpr std::chrono::seconds stubborn_for{30};

// Ignores the cancellation of a request.
class StubbornApplication final : public tests::TellingApplication {
public:
    boost::asio::awaitable<void> respond(const Request& request, Response&) override {
        remember(request.target);
        arrived.set_value();
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, stubborn_for);
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
    std::promise<void> arrived;
};

TEST(Server, EndsEvenWithAHandlerThatDoesNot) {
    StubbornApplication application;
    ServerOptions options = on_loopback();
    options.stop_timeout = 20ms;
    Server server(options, application);
    server.start();
    RawClient client{server.port()};
    client.send("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    application.arrived.get_future().wait();
    const auto begin = std::chrono::steady_clock::now();
    server.stop();
    server.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, stubborn_for / 2);
}

TEST(Server, LendsItsThreadsToOtherWork) {
    RunningServer running;
    std::promise<std::thread::id> ran;
    boost::asio::post(running.server.executor(), [&] { ran.set_value(std::this_thread::get_id()); });
    EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST(FLT_6, AnExceptionInAHandlerIsA500AndTheProcessServesOn) {
    RunningServer running;
    RawClient client{running.server.port()};
    client.send("GET /throw HTTP/1.1\r\nHost: x\r\n\r\nGET /behind HTTP/1.1\r\nHost: x\r\n\r\n");
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 500U);
    EXPECT_EQ(answer.header("connection"), "close");
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(running.ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200U);
}

TEST(FLT_6, AnExceptionWhileAcceptingEndsNoAcceptor) {
    ServerOptions options = on_loopback();
    options.is_proxy = [failures = 2](const auto&) mutable {
        if (failures-- > 0) throw std::bad_alloc();
        return false;
    };
    RunningServer running(options);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(running.connect().is_closed());
    EXPECT_EQ(running.ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200U);
    const std::string said = testing::internal::GetCapturedStderr();
    const std::size_t first = said.find("bad_alloc");
    EXPECT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find("bad_alloc", first + 1), std::string::npos) << "once, not for each attempt";
}

TEST(FLT_6, AnExceptionInOtherWorkEndsNoThread) {
    RunningServer running;
    testing::internal::CaptureStderr();
    boost::asio::post(running.server.executor(), [] { throw std::runtime_error("a callback that fails"); });
    boost::asio::post(running.server.executor(), [] { throw 1; });
    EXPECT_EQ(running.ask("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status, 200U);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("a callback that fails"), std::string::npos);
}

}  // namespace
}  // namespace consentry::http
