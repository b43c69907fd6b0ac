#include "tests/support/real_redis.hpp"

#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>

#include "tests/support/eventually.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(RealRedis, SingleKeepsItsDataThroughACrash) {
    const RealRedis redis({.settings = {"appendfsync always"}});
    EXPECT_EQ(redis.url(), "redis://127.0.0.1:" + std::to_string(redis.node(0).port()));
    EXPECT_EQ(redis.command(0, {"set", "key", "kept"}), "OK");
    redis.node(0).kill();
    EXPECT_THROW(redis.command(0, {"ping"}), std::runtime_error);
    redis.node(0).start();
    EXPECT_EQ(redis.command(0, {"get", "key"}), "kept");
}

TEST(RealRedis, SingleFrozenDoesNotAnswer) {
    const RealRedis redis;
    redis.node(0).pause();
    EXPECT_THROW(redis.command(0, {"ping"}), std::runtime_error);
    redis.node(0).resume();
    EXPECT_EQ(redis.command(0, {"ping"}), "PONG");
}

TEST(RealRedis, TlsAndUserAreAskedFor) {
    const RealRedis redis({.tls = true, .user = "bob"});
    EXPECT_THAT(redis.url(), StartsWith("rediss://bob:" + redis.password() + "@127.0.0.1:"));
    EXPECT_THAT(redis.url(), HasSubstr("?ca_file=" + redis.ca_file().string()));
    EXPECT_EQ(redis.command(0, {"acl", "whoami"}), "bob");

    const std::string port = std::to_string(redis.node(0).port());
    EXPECT_NE(run_command({"redis-cli", "-p", port, "ping"}).out, "PONG\n");
    const auto with_ca = [&](const std::filesystem::path& file) {
        return run_command({"redis-cli", "-h", "127.0.0.1", "-p", port, "--tls", "--cacert", file.string(), "ping"});
    };
    EXPECT_THAT(with_ca(redis.ca_file()).out, HasSubstr("NOAUTH"));
    EXPECT_THAT(with_ca(redis.untrusted_ca_file()).err, HasSubstr("certificate verify failed"));
}

TEST(RealRedis, SentinelsReplaceTheirMaster) {
    const RealRedis redis({.kind = RedisKind::sentinel, .user = "default"});
    EXPECT_THAT(redis.url(), StartsWith("redis+sentinel://default:" + redis.password() + "@127.0.0.1:"));
    EXPECT_THAT(redis.url(), testing::EndsWith("/app"));
    ASSERT_EQ(redis.master(), 0U);
    EXPECT_EQ(redis.command(0, {"set", "key", "value"}), "OK");
    EXPECT_THAT(redis.command(1, {"set", "key", "value"}), HasSubstr("READONLY"));
    redis.node(0).kill();
    ASSERT_TRUE(eventually([&] { return redis.master() != 0; }));
    EXPECT_TRUE(eventually([&] { return redis.command(redis.master(), {"set", "key", "new"}) == "OK"; }));
}

TEST(RealRedis, TheClusterReplacesAMaster) {
    const RealRedis redis({.kind = RedisKind::cluster});
    EXPECT_THAT(redis.url(), StartsWith("redis+cluster://127.0.0.1:"));
    EXPECT_EQ(redis.nodes(), 6U);
    const std::size_t master = redis.master_of("key");
    EXPECT_EQ(redis.command(master, {"set", "key", "value"}), "OK");
    EXPECT_EQ(redis.command(master, {"wait", "1", "5000"}), "1");
    const std::size_t other = (master + 1) % 3;
    EXPECT_THAT(redis.command(other, {"get", "key"}), StartsWith("MOVED"));
    redis.node(master).pause();
    ASSERT_TRUE(eventually([&] { return redis.master_of("key", other) != master; }));
    const std::size_t successor = redis.master_of("key", other);
    EXPECT_TRUE(eventually([&] { return redis.command(successor, {"get", "key"}) == "value"; }));
    redis.node(master).resume();
    EXPECT_TRUE(eventually([&] { return redis.master_of("key", master) == successor; }));
}

// Regression: a busy machine shows a former master while it loads the data of its successor.
TEST(RealRedis, AskingForTheMasterWaitsForANodeThatLoads) {
    const RealRedis redis({.kind = RedisKind::cluster});
    const std::size_t master = redis.master_of("key");
    // A second, in which it answers others.
    redis.command(master,
                  {"config", "set", "key-load-delay", "10000", "loading-process-events-interval-bytes", "1024"});
    redis.command(master,
                  {"eval", "for i = 1, 100 do redis.call('set', '{key}' .. i, string.rep('x', 1024)) end", "1", "key"});
    const std::jthread reload([&] { EXPECT_EQ(redis.command(master, {"debug", "reload"}), "OK"); });
    ASSERT_TRUE(eventually([&] { return redis.command(master, {"get", "key"}).starts_with("LOADING"); }));
    EXPECT_EQ(redis.master_of("key", master), master);
}

TEST(RealRedis, LeavesNothingBehind) {
    std::filesystem::path folder;
    {
        const RealRedis redis({.tls = true});
        folder = redis.ca_file().parent_path();
        redis.node(0).pause();
    }
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_THROW(RealRedis({.settings = {"no-such-setting 1"}}), std::runtime_error);
}

}  // namespace
}  // namespace consentry::tests
