// Tests the Redis engine on several servers: masters named by sentinels, and clusters, while their masters change.
#include <string>

#include <gmock/gmock.h>

#include "storage/redis/redis_slots.hpp"
#include "tests/contracts/redis_loop.hpp"
#include "tests/support/real_redis.hpp"

namespace consentry::tests {
namespace {

using storage::RedisCache;
using ::testing::HasSubstr;

// The servers themselves take 2 to 5 s to elect another master.
constexpr auto failed_over_within = 30s;

std::string key(int i) { return "key" + std::to_string(i); }
constexpr int keys = 50;

TEST(RedisSentinel, FollowsTheMaster) {
    const RealRedis redis({.kind = RedisKind::sentinel});
    RedisCache cache(redis_options(redis.url()));
    EXPECT_NO_THROW(cache.check());
    EXPECT_EQ(cache.group("id"), "id");
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    const std::size_t old = redis.master();
    EXPECT_EQ(redis.command(old, {"GET", "test:a"}), "1");

    redis.node(3).pause();  // the sentinel that the engine asks first
    redis.node(old).kill();
    EXPECT_FALSE(works(loop, cache.put("a", "2", 1h)));
    EXPECT_TRUE(comes_true(failed_over_within, [&] { return works(loop, cache.put("a", "2", 1h)); }));
    const std::size_t now = redis.master(4);
    EXPECT_NE(now, old);
    EXPECT_EQ(redis.command(now, {"GET", "test:a"}), "2");
    EXPECT_EQ(loop.call(cache.take("a")), "2");
}

TEST(RedisSentinel, AMasterThatWasDemotedIsLeft) {
    const RealRedis redis({.kind = RedisKind::sentinel, .tls = true, .user = "app"});
    RedisCache cache(redis_options(redis.url()));
    EXPECT_NO_THROW(cache.check());
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    const std::size_t old = redis.master();
    ASSERT_TRUE(
        comes_true(failed_over_within, [&] { return redis.command(3, {"SENTINEL", "FAILOVER", "app"}) == "OK"; }));
    ASSERT_TRUE(comes_true(failed_over_within, [&] { return redis.master() != old; }));
    // The old master accepts writes until the sentinels turn it into a replica.
    EXPECT_TRUE(comes_true(failed_over_within, [&] {
        return works(loop, cache.put("a", "2", 1h)) && redis.command(redis.master(), {"GET", "test:a"}) == "2";
    }));
}

TEST(RedisSentinel, ChecksTheNameOfTheMaster) {
    const RealRedis redis({.kind = RedisKind::sentinel});
    auto options = redis_options(redis.url());
    options.master_name = "other";
    EXPECT_THAT(complaint([&] { RedisCache(options).check(); }), HasSubstr("no master named 'other'"));
    options.kind = storage::RedisKind::single;
    EXPECT_THAT(complaint([&] { RedisCache(options).check(); }), HasSubstr("is a sentinel"));
}

class RedisCluster : public ::testing::Test {
protected:
    void put_all(const std::string& value) {
        for (int i = 0; i < keys; ++i) loop.call(cache.put(key(i), value, 1h));
    }
    bool all_work() {
        for (int i = 0; i < keys; ++i)
            if (!works(loop, cache.put(key(i), "2", 1h))) return false;
        return true;
    }
    std::size_t master_of(const std::string& name) const { return redis.master_of("test:" + name); }
    // Returns a replica of this master that is in sync.
    std::size_t replica_of(std::size_t master) const {
        const std::string port = std::to_string(redis.node(master).port());
        for (std::size_t node = 0; node < redis.nodes(); ++node) {
            const std::string info = redis.command(node, {"INFO", "replication"});
            if (info.contains("master_port:" + port) && info.contains("master_link_status:up")) return node;
        }
        throw std::runtime_error("no replica of " + port);
    }

    const RealRedis redis{{.kind = RedisKind::cluster}};
    RedisCache cache{redis_options(redis.url())};
    Loop loop;
};

TEST_F(RedisCluster, FindsTheServerOfEachKey) {
    EXPECT_NO_THROW(cache.check());
    put_all("1");
    for (int i = 0; i < keys; ++i) EXPECT_EQ(loop.call(cache.get(key(i))), "1");
    EXPECT_NE(redis.command(0, {"DBSIZE"}), std::to_string(keys));
    EXPECT_EQ(cache.group("id"), "{id}");
    EXPECT_EQ(storage::redis::slot_of("test:x:" + cache.group("id")), storage::redis::slot_of("id"));
    EXPECT_EQ(redis.command(0, {"CLUSTER", "KEYSLOT", "id"}), std::to_string(storage::redis::slot_of("id")));
    // Each call uses a new io_context, which does not know any slots yet.
    for (int i = 0; i < keys; ++i) EXPECT_EQ(run(cache.take(key(i))), "1");
}

TEST_F(RedisCluster, ChecksTheRightsThatAClusterNeeds) {
    for (std::size_t node = 0; node < redis.nodes(); ++node)
        redis.command(node, {"ACL", "SETUSER", "poor", "on", ">pw", "~*", "+@all", "-cluster|slots"});
    auto options = redis_options(redis.url());
    options.credentials = {.user = "poor", .password = "pw"};
    EXPECT_THAT(complaint([&] { RedisCache(options).check(); }), HasSubstr("lacks permission to run CLUSTER SLOTS"));
    options.kind = storage::RedisKind::single;
    EXPECT_THAT(complaint([&] { RedisCache(options).check(); }), HasSubstr("redis+cluster"));
}

TEST_F(RedisCluster, AThreadMayEndAtAnyPoint) {
    end_at_each_point([&] { return cache.get("a"); });
    EXPECT_NO_THROW(run(cache.ping()));
}

TEST_F(RedisCluster, FollowsASlotThatMoved) {
    put_all("1");
    const std::size_t old = master_of(key(0));
    ASSERT_EQ(redis.command(replica_of(old), {"CLUSTER", "FAILOVER"}), "OK");
    ASSERT_TRUE(comes_true(failed_over_within, [&] { return master_of(key(0)) != old; }));
    ASSERT_TRUE(comes_true(failed_over_within, [&] { return redis.master_of("test:" + key(0), old) != old; }));
    for (int i = 0; i < keys; ++i) EXPECT_EQ(loop.call(cache.get(key(i))), "1");
    EXPECT_TRUE(all_work());
}

TEST_F(RedisCluster, FollowsASlotThatIsMoving) {
    put_all("1");
    const std::size_t from = master_of(key(0));
    std::size_t to = 0;
    for (int i = 1; to == 0 || to == from; ++i) to = master_of(key(i));
    const std::string slot = redis.command(from, {"CLUSTER", "KEYSLOT", "test:" + key(0)});
    const std::string from_id = redis.command(from, {"CLUSTER", "MYID"});
    const std::string to_id = redis.command(to, {"CLUSTER", "MYID"});
    ASSERT_EQ(redis.command(to, {"CLUSTER", "SETSLOT", slot, "IMPORTING", from_id}), "OK");
    ASSERT_EQ(redis.command(from, {"CLUSTER", "SETSLOT", slot, "MIGRATING", to_id}), "OK");
    EXPECT_EQ(loop.call(cache.take(key(0))), "1");          // still on the old server
    EXPECT_EQ(loop.call(cache.get(key(0))), std::nullopt);  // redirected by ASK
    loop.call(cache.put(key(0), "2", 1h));                  // redirected by ASK
    EXPECT_EQ(redis.command(from, {"CLUSTER", "COUNTKEYSINSLOT", slot}), "0");
    EXPECT_EQ(redis.command(to, {"CLUSTER", "COUNTKEYSINSLOT", slot}), "1");
    ASSERT_EQ(redis.command(to, {"CLUSTER", "SETSLOT", slot, "NODE", to_id}), "OK");
    ASSERT_EQ(redis.command(from, {"CLUSTER", "SETSLOT", slot, "NODE", to_id}), "OK");
    EXPECT_EQ(loop.call(cache.get(key(0))), "2");  // redirected by MOVED
}

TEST_F(RedisCluster, IsWholeAgainAfterAMasterDied) {
    put_all("1");
    const std::size_t dead = master_of(key(0));
    redis.node(dead).kill();
    EXPECT_FALSE(works(loop, cache.put(key(0), "2", 1h)));
    EXPECT_TRUE(comes_true(failed_over_within, [&] { return all_work(); }));
    redis.node(dead).start();
    EXPECT_TRUE(all_work());
}

TEST_F(RedisCluster, IsWholeAgainAfterAMasterFroze) {
    put_all("1");
    const std::size_t frozen = master_of(key(0));
    redis.node(frozen).pause();
    EXPECT_TRUE(comes_true(failed_over_within, [&] { return all_work(); }));
    redis.node(frozen).resume();
    // The former master still acts as one until it hears of the new master. From then on, it refuses or redirects
    // calls.
    EXPECT_TRUE(comes_true(failed_over_within, [&] { return all_work(); }));
}

}  // namespace
}  // namespace consentry::tests
