// Which connections are admitted when there are more than the limit, and how much memory a body takes before it is
// wanted.
#include <list>
#include <string>
#include <thread>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "http/deadlines.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/instrumented.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using http::ServerOptions;

constexpr std::string_view plain = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

ServerOptions with_places(std::size_t count) {
    ServerOptions options = on_loopback();
    options.connections_max = count;
    options.idle_timeout = 1h;
    options.head_timeout = 1h;
    options.body_timeout = 1h;
    options.request_timeout = 1h;
    return options;
}

// The server orders connections by a coarse clock: those of one tick give way in any order.
void wait_for_next_tick() {
    const auto tick = http::CoarseClock::now();
    while (http::CoarseClock::now() == tick) std::this_thread::yield();
}

// The server counts a connection as idle a moment after its answer, but before it handles what a client sends to
// another connection then, as all connections share its only thread.
unsigned ask(RawClient& client, std::string_view request = plain) {
    client.send(request);
    return client.read_answer().status;
}

TEST(WEB_4, ANewConnectionReplacesTheOneThatWasLongestWithoutARequest) {
    const RunningServer running(with_places(3));
    const std::uint16_t port = running.server.port();
    RawClient first{port};
    RawClient second{port};
    RawClient third{port};
    for (RawClient* client : {&first, &second, &third}) EXPECT_EQ(ask(*client), 200U);
    wait_for_next_tick();
    for (RawClient* client : {&third, &first}) EXPECT_EQ(ask(*client), 200U);
    RawClient fourth{port};
    EXPECT_EQ(ask(fourth), 200U);
    EXPECT_TRUE(second.is_closed());
    EXPECT_EQ(ask(first), 200U);
    EXPECT_EQ(ask(third), 200U);
    EXPECT_EQ(running.server.places().gave_way(), 1U);
}

TEST(WEB_4, OneAddressCannotHoldEveryConnection) {
    const RunningServer running(with_places(20));
    const std::uint16_t port = running.server.port();
    // Connections that are silent, in the middle of a head, or idle after a request: all of them may be replaced.
    std::list<RawClient> greedy;
    for (int i = 0; i < 20; ++i) {
        RawClient& one = greedy.emplace_back(port);
        if (i % 3 == 1) one.send("GET /a HTTP/1.1\r\nHo");
        if (i % 3 == 2) EXPECT_EQ(ask(one), 200U);
    }
    std::list<RawClient> others;
    for (int i = 0; i < 10; ++i) {
        RawClient& other = others.emplace_back(port, ("127.0.1." + std::to_string(i + 1)).c_str());
        EXPECT_EQ(ask(other), 200U);
    }
    // The address with the most connections connects again and again, and replaces only its own.
    for (int i = 0; i < 40; ++i) greedy.emplace_back(port).send("GET /a HTTP/1.1\r\nHo");
    for (RawClient& other : others) EXPECT_EQ(ask(other), 200U);
}

TEST(WEB_4, ABodyThatDoesNotComeHoldsNoPlaceAgainstAnotherNetwork) {
    const RunningServer running(with_places(4));
    const std::uint16_t port = running.server.port();
    std::list<RawClient> greedy;
    for (int i = 0; i < 4; ++i)
        greedy.emplace_back(port).send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
    while (running.server.places().held() < 4) std::this_thread::yield();
    RawClient other{port, "127.0.0.2"};
    EXPECT_EQ(ask(other), 200U);
    EXPECT_EQ(greedy.front().read_answer().status, 503U);
    EXPECT_TRUE(greedy.front().is_closed());
}

TEST(FLT_5, WhereAllConnectionsAreAtWorkAnotherIsToldToComeAgain) {
    ServerOptions options = with_places(2);
    options.stop_timeout = 10ms;
    const RunningServer running(options);
    const std::uint16_t port = running.server.port();
    RawClient first{port};
    RawClient second{port};
    for (RawClient* client : {&first, &second}) client->send("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    while (running.application.seen().size() < 2) std::this_thread::yield();
    for (const char* from : {"127.0.0.1", "127.0.0.2"}) {
        RawClient third{port, from};
        third.send(plain);
        const RawAnswer answer = third.read_answer();
        EXPECT_EQ(answer.status, 503U);
        EXPECT_EQ(answer.header("connection"), "close");
        EXPECT_TRUE(third.is_closed());
    }
    EXPECT_EQ(running.application.seen().size(), 2U);
}

TEST(WEB_4, ATrustedProxyMayHoldEveryConnection) {
    ServerOptions options = with_places(4);
    options.is_proxy = [](const boost::asio::ip::address& peer) { return peer.to_string() == "127.0.0.1"; };
    const RunningServer running(options);
    const std::uint16_t port = running.server.port();
    std::list<RawClient> proxy;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(proxy.emplace_back(port)), 200U);
    wait_for_next_tick();
    for (auto one = std::next(proxy.begin()); one != proxy.end(); ++one) EXPECT_EQ(ask(*one), 200U);
    RawClient other{port, "127.0.0.2"};
    EXPECT_EQ(ask(other), 200U);
    EXPECT_TRUE(proxy.front().is_closed()) << "it is not exempt from the whole";
    EXPECT_EQ(ask(proxy.back()), 200U);
    RawClient second{port, "127.0.0.2"};
    EXPECT_EQ(ask(second), 200U);
    EXPECT_TRUE(other.is_closed()) << "one network has given way to itself";
    for (auto one = std::next(proxy.begin()); one != proxy.end(); ++one) EXPECT_EQ(ask(*one), 200U);
}

// More than the buffers of the sockets hold.
constexpr std::size_t large = 6'000'000;
constexpr std::size_t large_at_once = 5;  // fit into the budget

ServerOptions with_room_for_answers() {
    ServerOptions options = with_places(1'000);
    options.body_memory_max = large_at_once * (large + 4'096);  // with their heads
    options.write_timeout = 1h;
    return options;
}
// Clients of the same address that do not read what they have asked for.
void ask_without_reading(const RunningServer& running, std::list<RawClient>& clients, std::size_t count,
                         const std::string& more = {}) {
    const std::size_t before = running.application.seen().size();
    for (std::size_t i = 0; i < count; ++i)
        clients.emplace_back(running.server.port(), 4096)
            .send("GET /large?" + std::to_string(large) + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n");
    while (running.application.seen().size() < before + count) std::this_thread::yield();
}
// Another client, which reads once one more has made room for its answer.
std::size_t read_large(const RunningServer& running, const char* from, const std::string& more = {}) {
    const std::uint64_t before = running.server.bodies().gave_way();
    RawClient client{running.server.port(), 64 * 1024, from};
    client.send("GET /large?" + std::to_string(large) + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n");
    EXPECT_TRUE(tests::eventually([&] { return running.server.bodies().gave_way() > before; }));
    return client.read_answer().body.size();
}
long most_memory_in_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

TEST(WEB_4, AnswersThatNobodyReadsTakeNoMoreThanTheBudget) {
    const RunningServer running(with_room_for_answers());
    const long before = most_memory_in_mb();
    std::list<RawClient> greedy;
    ask_without_reading(running, greedy, 40);
    EXPECT_TRUE(tests::eventually([&] { return running.server.connections() <= large_at_once; }, 10s))
        << running.server.connections() << " answers wait for their clients";
    EXPECT_LE(running.server.bodies().held_most(), running.server.bodies().whole());
    EXPECT_GE(running.server.bodies().held(), (large_at_once - 1) * large) << "only as many as necessary give way";
    // Each answer once, and that which is being written a second time; the rest is for those that are about to go.
    if constexpr (!tests::instrumented) EXPECT_LE(most_memory_in_mb() - before, 60);

    EXPECT_EQ(read_large(running, "127.0.0.2"), large) << "the network that holds the most makes room";
    greedy.clear();
    EXPECT_TRUE(tests::eventually([&] { return running.server.bodies().held() == 0; }));
}

TEST(WEB_4, AnAnswerThatNobodyReadsKeepsNoBodyOut) {
    const RunningServer running(with_room_for_answers());
    std::list<RawClient> greedy;
    ask_without_reading(running, greedy, large_at_once);
    ASSERT_TRUE(tests::eventually([&] { return running.server.bodies().held() >= large_at_once * large; }));
    const std::uint64_t before = running.server.bodies().gave_way();
    RawClient client{running.server.port()};
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'b'));
    EXPECT_EQ(client.read_answer().status, 200U);
    EXPECT_EQ(running.server.bodies().gave_way(), before + 1) << "one that nobody reads made room";
}

TEST(FLT_5, ANetworkWhoseAnswersAllGiveWayAtOnceHarmsNobody) {
    ServerOptions options = with_room_for_answers();
    options.text_bytes_max = 10'000'000;
    const RunningServer running(options);
    std::list<RawClient> unread;
    const auto leave_unread = [&](const char* from, std::size_t bytes) {
        const std::size_t before = running.server.bodies().held();
        unread.emplace_back(running.server.port(), 4096, from)
            .send("GET /large?" + std::to_string(bytes) + " HTTP/1.1\r\nHost: x\r\n\r\n");
        ASSERT_TRUE(tests::eventually([&] { return running.server.bodies().held() >= before + bytes; }));
    };
    leave_unread("127.0.0.1", large);
    wait_for_next_tick();
    for (const auto& [from, bytes] : {std::pair("127.0.0.1", 2 * large), {"127.0.0.2", large}, {"127.0.0.3", large}})
        leave_unread(from, bytes);
    RawClient client{running.server.port(), 64 * 1024, "127.0.0.4"};
    const std::string body(8'000'000, 'b');
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_EQ(client.read_answer().status, 200U);
    EXPECT_EQ(running.server.bodies().gave_way(), 2U) << "both answers of the network that held the most";
    leave_unread("127.0.0.1", large);
}

TEST(WEB_4, AProxysClientsShareTheMemoryOfAnswersAsNetworksOfTheirOwn) {
    ServerOptions options = with_room_for_answers();
    options.is_proxy = [](const auto&) { return true; };
    options.client_of = [](const http::Request& request) {
        return boost::asio::ip::make_address(request.header("x-client").value());
    };
    const RunningServer running(options);
    std::list<RawClient> greedy;
    ask_without_reading(running, greedy, 10, "x-client: 192.0.2.1\r\n");
    EXPECT_TRUE(tests::eventually([&] { return running.server.connections() <= large_at_once; }, 10s));
    EXPECT_EQ(read_large(running, "127.0.0.1", "x-client: 192.0.2.2\r\n"), large);
}

// Receives bodies only from requests with credentials.
class Guarded final : public TellingApplication {
public:
    boost::asio::awaitable<void> respond(const http::Request& request, http::Response& response) override {
        if (!request.header("authorization")) {
            response.status = 401;
            co_return;
        }
        if (!co_await receive_body(request, response)) co_return;
        response.body = std::to_string(request.body.size());
    }
    std::size_t upload_bytes_max(const http::Request&) const noexcept override { return 10 << 20; }
};

struct GuardedServer {
    explicit GuardedServer(ServerOptions options = with_places(1'000)) : server(std::move(options), application) {
        server.start();
    }
    Guarded application;
    http::Server server;
};

std::string upload(std::size_t length, std::string_view more = {}) {
    return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: " + std::to_string(length) +
           "\r\n" + std::string(more) + "\r\n";
}
constexpr std::string_view known = "Authorization: me\r\n";

TEST(WEB_3, NobodyTakesUpMemoryBeforeTheyAreKnown) {
    GuardedServer running;
    std::list<RawClient> strangers;
    for (int i = 0; i < 30; ++i) {
        RawClient& stranger = strangers.emplace_back(running.server.port());
        stranger.send(upload(10 << 20));
        const RawAnswer answer = stranger.read_answer();
        EXPECT_EQ(answer.status, 401U) << "before a byte of the body has come";
        EXPECT_EQ(answer.header("connection"), "close");
    }
    EXPECT_EQ(running.server.bodies().held_most(), 0U);
}

TEST(WEB_3, ARefusalIsAnsweredInThePlaceOfContinue) {
    GuardedServer running;
    RawClient client{running.server.port()};
    client.send(upload(1'000, "Expect: 100-continue\r\n"));
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 401U);
    EXPECT_EQ(answer.header("connection"), "close") << "nobody knows whether the body follows";
    RawClient admitted{running.server.port()};
    admitted.send(upload(3, std::string(known) + "Expect: 100-continue\r\n"));
    EXPECT_EQ(admitted.read_answer().status, 100U);
    admitted.send("abc");
    EXPECT_EQ(admitted.read_answer().body, "3");
}

TEST(WEB_3, AShortBodyThatNobodyWantsEndsNoConnection) {
    GuardedServer running;
    for (const std::size_t length : {1'000U, 60'000U}) {
        RawClient client{running.server.port()};
        client.send(upload(length));
        EXPECT_EQ(client.read_answer().status, 401U) << "at once";
        client.send(std::string(length, 'b') + upload(2, known) + "ab");
        EXPECT_EQ(client.read_answer().body, "2");
    }
    EXPECT_EQ(running.server.bodies().held_most(), 0U);
}

TEST(WEB_3, TheMemoryOfABodyIsGivenBackWithItsAnswer) {
    GuardedServer running;
    RawClient client{running.server.port()};
    for (int i = 0; i < 3; ++i) {
        client.send(upload(100'000, known) + std::string(100'000, 'b'));
        EXPECT_EQ(client.read_answer().body, "100000");
    }
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + std::string(known) + "\r\n");
    client.send("30D40\r\n" + std::string(200'000, 'b') + "\r\n0\r\n\r\n");
    EXPECT_EQ(client.read_answer().body, "200000");
    EXPECT_EQ(ask(client, plain), 401U);
    EXPECT_EQ(running.server.bodies().held(), 0U);
    EXPECT_GE(running.server.bodies().held_most(), 200'000U - 16'384U) << "of a body in chunks, as it grows";
    EXPECT_LE(running.server.bodies().held_most(), 512U << 10);
}

TEST(WEB_3, BodiesTakeNoMoreThanTheirBudgetAndAnotherNetworkGetsItsPart) {
    ServerOptions options = with_places(1'000);
    options.body_memory_max = 1'000'000;
    GuardedServer running(options);
    const std::uint16_t port = running.server.port();
    // Each request withholds its last byte.
    std::list<RawClient> greedy;
    for (int i = 0; i < 10; ++i) {
        greedy.emplace_back(port).send(upload(100'000, known) + std::string(99'999, 'b'));
        while (running.server.bodies().held() < static_cast<std::size_t>(i + 1) * 100'000) std::this_thread::yield();
    }
    RawClient more{port};
    more.send(upload(100'000, known));
    EXPECT_EQ(more.read_answer().status, 503U);

    RawClient other{port, "127.0.0.2"};
    other.send(upload(200'000, known) + std::string(200'000, 'b'));
    EXPECT_EQ(other.read_answer().body, "200000");
    EXPECT_EQ(running.server.bodies().gave_way(), 2U);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(greedy.front().read_answer().status, 503U);
        greedy.pop_front();
    }
    greedy.front().send("b");
    EXPECT_EQ(greedy.front().read_answer().body, "100000") << "the others are as they were";
    EXPECT_LE(running.server.bodies().held_most(), 1'000'000U);
}

TEST(WEB_3, ABodyInChunksEndsWhereTheBudgetDoes) {
    ServerOptions options = with_places(1'000);
    options.body_memory_max = 100'000;
    GuardedServer running(options);
    RawClient client{running.server.port()};
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + std::string(known) + "\r\nF4240\r\n" +
                std::string(500'000, 'b'));
    EXPECT_EQ(client.read_answer().status, 503U);
    EXPECT_LE(running.server.bodies().held_most(), 100'000U);
}

TEST(WEB_3, ABodyThatIsLateOrLostGivesItsMemoryBack) {
    ServerOptions options = with_places(1'000);
    options.body_timeout = 60ms;
    GuardedServer running(options);
    RawClient late{running.server.port()};
    late.send(upload(100'000, known));
    EXPECT_EQ(late.read_answer().status, 408U);
    EXPECT_TRUE(late.is_closed());
    {
        RawClient lost{running.server.port()};
        lost.send(upload(100'000, known) + "b");
    }
    while (running.server.connections() > 0) {
        late.close();
        std::this_thread::yield();
    }
    EXPECT_EQ(running.server.bodies().held(), 0U);
    EXPECT_EQ(running.server.bodies().held_most(), 100'000U);
}

}  // namespace
}  // namespace consentry::tests
