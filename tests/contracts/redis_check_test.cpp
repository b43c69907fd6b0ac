// Tests what RedisCache::check() reports when the program starts.
#include <atomic>
#include <string>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>

#include "tests/contracts/redis_loop.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using storage::RedisCache;
using storage::RedisOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool is_outage(const RedisOptions& options) {
    try {
        RedisCache(options).check();
    } catch (const Unavailable&) {
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
    ADD_FAILURE() << "nothing was wrong";
    return false;
}

// Returns what an operator must fix. Fails the test if waiting would fix it.
std::string to_mend(const RedisOptions& options) {
    EXPECT_FALSE(is_outage(options));
    return complaint([&] { RedisCache(options).check(); });
}

TEST(RedisCheck, AFitServerPassesAndKeepsNothing) {
    const RealRedis redis;
    EXPECT_NO_THROW(RedisCache(redis_options(redis.url())).check());
    EXPECT_EQ(redis.command(0, {"DBSIZE"}), "0");
}

TEST(RedisCheck, ALookFindsWhatIsToMendAndWritesNothing) {
    const RealRedis redis({.user = "app"});
    RedisOptions options = redis_options(redis.url());
    EXPECT_NO_THROW(RedisCache(options).look());
    // Values written and deleted again would appear in these statistics, too.
    EXPECT_THAT(redis.command(0, {"INFO", "commandstats"}),
                AllOf(HasSubstr("cmdstat_getdel"), Not(HasSubstr("cmdstat_set:")), Not(HasSubstr("cmdstat_lpush")),
                      Not(HasSubstr("cmdstat_incr"))));
    redis.command(0, {"ACL", "SETUSER", "poor", "on", ">pw", "~*", "+get", "+del", "+ping"});
    options.credentials = {.user = "poor", .password = "pw"};
    EXPECT_THAT(complaint([&] { RedisCache(options).look(); }), HasSubstr("lacks permission to run GETDEL"));
    options.credentials.password = "wrong-password";
    EXPECT_THAT(complaint([&] { RedisCache(options).look(); }), HasSubstr("refuses the user or the password"));
    redis.node(0).kill();
    EXPECT_THROW(RedisCache(options).look(), Unavailable);
}

TEST(RedisCheck, ServersThatDoNotAnswerAreAnOutage) {
    const RealRedis redis;
    redis.node(0).pause();
    EXPECT_TRUE(is_outage(redis_options(redis.url())));
    redis.node(0).resume();
    redis.node(0).kill();
    EXPECT_TRUE(is_outage(redis_options(redis.url())));
    EXPECT_THAT(complaint([&] { RedisCache(redis_options(redis.url())).check(); }),
                AllOf(HasSubstr("127.0.0.1:" + std::to_string(redis.node(0).port())), HasSubstr("refused")));
    EXPECT_TRUE(is_outage(redis_options("redis://no-such-host.invalid")));
}

TEST(RedisCheck, PasswordsAndRights) {
    const RealRedis redis({.user = "app"});
    RedisOptions options = redis_options(redis.url());
    EXPECT_NO_THROW(RedisCache(options).check());

    options.credentials.password = "wrong-password";
    EXPECT_THAT(to_mend(options), AllOf(HasSubstr("refuses the user or the password"), Not(HasSubstr("wrong-"))));
    options.credentials = {};
    EXPECT_THAT(to_mend(options), HasSubstr("requires a password"));

    redis.command(0, {"ACL", "SETUSER", "poor", "on", ">pw", "~*", "+get", "+set", "+del"});
    options.credentials = {.user = "poor", .password = "pw"};
    EXPECT_THAT(to_mend(options), HasSubstr("lacks permission to run GETDEL"));
    redis.command(0, {"ACL", "SETUSER", "poor", "+getdel", "+ping", "+eval", "resetkeys", "~other:*"});
    EXPECT_THAT(to_mend(options), AllOf(HasSubstr("lacks permission to run SET"), HasSubstr("test:*")));
    redis.command(0, {"ACL", "SETUSER", "poor", "~test:*"});
    EXPECT_THAT(to_mend(options), HasSubstr("lacks permission to run EVAL"));
    // These permissions suffice.
    redis.command(0, {"ACL", "SETUSER", "poor", "+time", "+lrange", "+lpush", "+ltrim", "+incr", "+pttl", "+pexpire"});
    EXPECT_NO_THROW(RedisCache(options).check());

    options.db = 3;
    EXPECT_THAT(to_mend(options), HasSubstr("lacks permission to run SELECT"));
}

TEST(RedisCheck, APasswordThatNobodyAsksFor) {
    RedisOptions options = redis_options(shared_redis_url());
    options.credentials.password = "pw";
    EXPECT_THAT(to_mend(options), HasSubstr("has no password"));
    options.credentials = {};
    options.db = 9999;
    EXPECT_THAT(to_mend(options), HasSubstr("no database 9999"));
}

TEST(RedisCheck, Certificates) {
    const RealRedis redis({.tls = true});
    RedisOptions options = redis_options(redis.url());
    options.ca_file = redis.untrusted_ca_file();
    EXPECT_THAT(to_mend(options), HasSubstr("certificate not trusted"));
    options.ca_file.clear();
    EXPECT_THAT(to_mend(options), HasSubstr("certificate not trusted"));
    options.ca_file = redis.ca_file();
    options.addresses.front().host = "localhost";
    EXPECT_NO_THROW(RedisCache(options).check());
    options.addresses.front().host = "127.1";  // another name for the same server, missing in its certificate
    EXPECT_THAT(to_mend(options), HasSubstr("mismatch"));
    options.ca_file = "/does/not/exist.pem";
    EXPECT_THAT(complaint([&] { RedisCache{options}; }), HasSubstr("ca_file"));
    EXPECT_THAT(complaint([&] {
                    RedisCache(redis_options("redis://127.0.0.1:" + std::to_string(redis.node(0).port()))).check();
                }),
                HasSubstr("TLS"));
}

TEST(RedisCheck, TheWrongKindOfServer) {
    const std::string single = shared_redis_url();
    EXPECT_THAT(to_mend(redis_options("redis+cluster" + single.substr(single.find("://")))),
                HasSubstr("not in cluster mode"));
    EXPECT_THAT(to_mend(redis_options("redis+sentinel" + single.substr(single.find("://")) + "/app")),
                HasSubstr("not a sentinel"));
    const RealRedis node({.settings = {"cluster-enabled yes"}});
    EXPECT_THAT(to_mend(redis_options(node.url())), HasSubstr("redis+cluster"));
    const RealRedis replica;
    replica.command(0, {"REPLICAOF", "127.0.0.1", "1"});
    EXPECT_THAT(to_mend(redis_options(replica.url())), HasSubstr("read-only replica"));
}

// A server that answers the first commands of each connection with these replies, whatever the commands are.
class Canned {
public:
    explicit Canned(std::string replies) : replies_(std::move(replies)) {
        thread_ = std::jthread([this] { serve(); });
    }
    ~Canned() {
        asio::io_context context;
        boost::system::error_code ignored;
        stopped_ = true;
        asio::ip::tcp::socket(context).connect(acceptor_.local_endpoint(), ignored);
    }
    std::string url() const { return "redis://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }

private:
    void serve() {
        for (;;) {
            asio::ip::tcp::socket socket = acceptor_.accept();
            if (stopped_) return;
            boost::system::error_code ignored;
            std::string request;
            asio::read_until(socket, asio::dynamic_buffer(request), "SETNAME", ignored);
            asio::write(socket, asio::buffer("+OK\r\n", 5), ignored);
            request.clear();
            asio::read_until(socket, asio::dynamic_buffer(request), "ROLE\r\n", ignored);
            asio::write(socket, asio::buffer(replies_), ignored);
            asio::read(socket, asio::dynamic_buffer(request), ignored);  // until the client disconnects
        }
    }

    const std::string replies_;
    std::atomic<bool> stopped_ = false;
    asio::io_context context_;
    asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
    std::jthread thread_;
};

std::string info(std::string version) {
    const std::string text = "redis_version:" + version + "\r\nredis_mode:standalone\r\n";
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";
}

TEST(RedisCheck, OldVersions) {
    const Canned old(info("6.0.16"));
    EXPECT_THAT(to_mend(redis_options(old.url())), HasSubstr("version 6.0.16 is too old; 6.2"));
    const Canned older(info("5.0"));
    EXPECT_THAT(to_mend(redis_options(older.url())), HasSubstr("5.0 is too old"));
}

TEST(RedisCheck, WhatDoesNotSpeakRedis) {
    const Canned other("HTTP/1.1 400 Bad Request\r\n\r\n");
    EXPECT_THAT(to_mend(redis_options(other.url())), HasSubstr("does not speak the Redis protocol"));
}

}  // namespace
}  // namespace consentry::tests
