// Tests the proxy against the shared servers.
#include "tests/support/tcp_proxy.hpp"

#include <array>
#include <stdexcept>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <poll.h>

#include "tests/support/eventually.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using testing::ElementsAre;

// A client that speaks Redis' inline protocol.
class Caller {
public:
    explicit Caller(const TcpProxy& proxy) { socket_.connect({asio::ip::address_v4::loopback(), proxy.port()}); }

    void send(const std::string& line) { asio::write(socket_, asio::buffer(line + "\r\n")); }
    bool hears_something(std::chrono::milliseconds within) {
        pollfd input{.fd = socket_.native_handle(), .events = POLLIN, .revents = 0};
        return ::poll(&input, 1, static_cast<int>(within.count())) == 1;
    }
    // Returns the answer, "reset", "end", or "nothing" after a timeout.
    std::string hear() {
        if (!hears_something(20s)) return "nothing";
        std::array<char, 1024> bytes{};
        boost::system::error_code error;
        const std::size_t size = socket_.read_some(asio::buffer(bytes), error);
        if (error == asio::error::eof) return "end";
        if (error == asio::error::connection_reset) return "reset";
        return {bytes.data(), size};
    }
    std::string ask(const std::string& line) {
        send(line);
        return hear();
    }

private:
    asio::io_context context_;
    asio::ip::tcp::socket socket_{context_};
};

class TcpProxyTest : public testing::Test {
protected:
    TcpProxy proxy_{port_of(shared_redis_url())};
};

TEST_F(TcpProxyTest, Passes) {
    Caller caller(proxy_);
    EXPECT_EQ(caller.ask("PING"), "+PONG\r\n");
    EXPECT_EQ(caller.ask("PING again"), "$5\r\nagain\r\n");
    Caller other(proxy_);
    EXPECT_EQ(other.ask("QUIT"), "+OK\r\n");
    EXPECT_EQ(other.hear(), "end");
    EXPECT_EQ(proxy_.accepted(), 2U);
    EXPECT_EQ(proxy_.cut(), 0U);
}

TEST_F(TcpProxyTest, CountsOpenLinks) {
    Caller stays(proxy_);
    EXPECT_EQ(stays.ask("PING"), "+PONG\r\n");
    {
        Caller goes(proxy_);
        EXPECT_EQ(goes.ask("PING"), "+PONG\r\n");
        EXPECT_EQ(proxy_.open(), 2U);
    }
    EXPECT_TRUE(eventually([&] { return proxy_.open() == 1; }));
}

TEST_F(TcpProxyTest, Delays) {
    Caller caller(proxy_);
    proxy_.delay(60ms);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(caller.ask("PING"), "+PONG\r\n");
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 120ms);  // in both directions
}

TEST_F(TcpProxyTest, HangsOnOpenAndNewLinksAndGoesOn) {
    Caller open(proxy_);
    EXPECT_EQ(open.ask("PING"), "+PONG\r\n");
    proxy_.hang();
    open.send("PING");
    Caller fresh(proxy_);
    fresh.send("PING");
    EXPECT_FALSE(open.hears_something(100ms));
    EXPECT_FALSE(fresh.hears_something(100ms));
    proxy_.pass();
    EXPECT_EQ(open.hear(), "+PONG\r\n");
    EXPECT_EQ(fresh.hear(), "+PONG\r\n");
}

TEST_F(TcpProxyTest, MuteLetsRequestsThrough) {
    const std::string key = fresh_namespace();
    Caller muted(proxy_);
    TcpProxy good(port_of(shared_redis_url()));
    Caller witness(good);
    proxy_.mute();
    muted.send("SET " + key + " arrived EX 60");
    EXPECT_TRUE(eventually([&] { return witness.ask("GET " + key) == "$7\r\narrived\r\n"; }));
    EXPECT_FALSE(muted.hears_something(100ms));
}

TEST_F(TcpProxyTest, ResetsOpenLinksButNotNewOnes) {
    Caller open(proxy_);
    EXPECT_EQ(open.ask("PING"), "+PONG\r\n");
    proxy_.reset();
    EXPECT_EQ(proxy_.open(), 0U);
    EXPECT_EQ(open.hear(), "reset");
    EXPECT_EQ(Caller(proxy_).ask("PING"), "+PONG\r\n");
}

TEST_F(TcpProxyTest, ResetsOpenClientsButNotNewOnes) {
    Caller caller(proxy_);
    ASSERT_EQ(caller.ask("PING"), "+PONG\r\n");
    proxy_.reset_clients();
    EXPECT_EQ(caller.hear(), "reset");
    EXPECT_EQ(proxy_.open(), 0U);
    EXPECT_EQ(Caller(proxy_).ask("PING"), "+PONG\r\n");
}

TEST_F(TcpProxyTest, RefusesAndTakesUpAgainOnTheSamePort) {
    Caller open(proxy_);
    EXPECT_EQ(open.ask("PING"), "+PONG\r\n");
    const auto port = proxy_.port();
    for (int round = 0; round < 3; ++round) {
        proxy_.refuse();
        EXPECT_THROW(Caller{proxy_}, boost::system::system_error);
        proxy_.pass();
        EXPECT_EQ(Caller(proxy_).ask("PING"), "+PONG\r\n");
    }
    EXPECT_EQ(open.hear(), "reset");
    EXPECT_EQ(proxy_.port(), port);
}

TEST_F(TcpProxyTest, CutsAfterSomeBytesOfTheAnswer) {
    Caller caller(proxy_);
    proxy_.cut_after_answer_bytes(9);
    EXPECT_EQ(caller.ask("PING"), "+PONG\r\n");
    caller.send("PING");
    const std::string rest = caller.hear();  // the reset may overtake the bytes
    EXPECT_TRUE(rest == "+P" || rest == "reset") << rest;
    EXPECT_TRUE(eventually([&] { return proxy_.cut() == 1; }));
    EXPECT_EQ(proxy_.open(), 0U);
}

TEST_F(TcpProxyTest, HangsAfterSomeBytesOfTheRequestsOfEachLink) {
    proxy_.hang_after_request_bytes(7);
    Caller caller(proxy_);
    EXPECT_EQ(caller.ask("PING"), "+PONG\r\n");
    EXPECT_EQ(caller.ask("PING"), "+PONG\r\n");
    caller.send("PING");
    EXPECT_FALSE(caller.hears_something(100ms));
    EXPECT_EQ(Caller(proxy_).ask("PING"), "+PONG\r\n");
    proxy_.pass();
    EXPECT_EQ(caller.hear(), "+PONG\r\n");
}

// A link that swallowed bytes and then went on would leave the other side waiting for them.
TEST_F(TcpProxyTest, ALinkThatLosesBytesIsCutWhateverTheModeBecomes) {
    for (int round = 0; round < 400 && !HasFailure(); ++round) {
        Caller caller(proxy_);
        EXPECT_EQ(caller.ask("PING"), "+PONG\r\n");
        proxy_.cut_after_answer_bytes(0);
        caller.send("PING");
        for (int turns = round % 20; turns > 0; --turns) proxy_.open();  // lets the answer come nearer
        proxy_.pass();
        const std::string heard = caller.hear();
        EXPECT_TRUE(heard == "+PONG\r\n" || heard == "reset") << heard << ", round " << round;
    }
}

TEST_F(TcpProxyTest, ALinkToNowhereIsReset) {
    proxy_.refuse();
    TcpProxy before(proxy_.port());
    EXPECT_EQ(Caller(before).hear(), "reset");
}

TEST(TcpProxyBeforePostgres, TheCommitIsDoneAndItsAnswerLost) {
    const PostgresSchema schema;
    schema.sql("CREATE TABLE things (name TEXT)");
    TcpProxy proxy(port_of(schema.url()));
    const std::string through = with_port(schema.url(), proxy.port());
    proxy.mute_when("COMMIT");
    const auto insert = [&] { run_postgres_sql(through, "BEGIN; INSERT INTO things VALUES ('once'); COMMIT"); };
    EXPECT_THROW(insert(), std::runtime_error);
    EXPECT_EQ(proxy.cut(), 1U);
    EXPECT_THAT(schema.sql("SELECT name FROM things"), ElementsAre(ElementsAre("once")));
    insert();  // the fault applies only once
    EXPECT_THAT(schema.sql("SELECT count(*) FROM things"), ElementsAre(ElementsAre("2")));
}

}  // namespace
}  // namespace consentry::tests
