// Tests what the Redis engine promises beyond the port, on a single server that is frozen, killed and cut off.
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>

#include "tests/contracts/redis_loop.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using storage::RedisCache;
using ::testing::HasSubstr;

constexpr auto comes_back_within = 5s;
// Allowance for a busy scheduler, added to timeouts.
constexpr auto slack = 750ms;

std::string url_of(std::uint16_t port) { return "redis://127.0.0.1:" + std::to_string(port); }

TEST(RedisCache, KeepsKeysUnderTheNameSpaceForTheirTime) {
    const RealRedis redis;
    RedisCache cache(redis_options(redis.url(), "Cache"));
    run(cache.put("a", "1", 1h));
    EXPECT_EQ(redis.command(0, {"KEYS", "*"}), "Cache:a");
    EXPECT_LE(std::stoll(redis.command(0, {"PTTL", "Cache:a"})), 3'600'000);
    EXPECT_GT(std::stoll(redis.command(0, {"PTTL", "Cache:a"})), 3'500'000);
    EXPECT_TRUE(run(cache.put_if_absent("b", "2", 50ms)));
    EXPECT_TRUE(comes_true(5s, [&] { return !run(cache.get("b")); }));
    EXPECT_EQ(cache.group("id"), "id");
}

TEST(RedisCache, AValueIsTakenOnceAmongTwoObjects) {
    const std::string name_space = fresh_namespace();
    RedisCache one(redis_options(shared_redis_url(), name_space));
    RedisCache other(redis_options(shared_redis_url(), name_space));
    for (int round = 0; round < 10; ++round) {
        run(one.put("challenge", "user", 1min));
        EXPECT_EQ(successes_of(200, [&](std::size_t i) { return (i % 2 ? one : other).take("challenge"); }), 1u);
    }
}

TEST(RedisCache, EachOfManyCallersGetsItsOwnAnswer) {
    RedisCache cache(redis_options(shared_redis_url(), fresh_namespace()));
    constexpr std::size_t count = 2000;
    std::vector<awaitable<void>> puts;
    for (std::size_t i = 0; i < count; ++i) puts.push_back(cache.put(std::to_string(i), std::string(i, 'x'), 1min));
    for (const auto& ended : run_all(std::move(puts))) EXPECT_TRUE(ended);
    std::vector<awaitable<std::optional<std::string>>> gets;
    for (std::size_t i = 0; i < count; ++i) gets.push_back(cache.get(std::to_string(i)));
    const auto values = values_of(std::move(gets));
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(values[i].value().size(), i);
}

TEST(RedisCache, OneConnectionServesAllOfAThread) {
    TcpProxy proxy(port_of(shared_redis_url()));
    RedisCache cache(redis_options(with_port(shared_redis_url(), proxy.port()), fresh_namespace()));
    Loop loop;
    for (int i = 0; i < 10; ++i) loop.call(cache.put("a", "1", 1min));
    EXPECT_EQ(proxy.accepted(), 1u);
}

TEST(RedisCache, AFrozenServerFailsInTimeThenAtOnceAndIsBackSoon) {
    const RealRedis redis;
    RedisCache cache(redis_options(redis.url()));
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    redis.node(0).pause();
    auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(complaint([&] { loop.call(cache.get("a")); }), HasSubstr("not respond in time"));
    EXPECT_GE(since(start), 240ms);
    EXPECT_LT(since(start), 250ms + slack);

    start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(works(loop, cache.get("a")));
    EXPECT_LT(since(start), 2s);  // far less than 100 timeouts

    redis.node(0).resume();
    EXPECT_TRUE(comes_true(comes_back_within, [&] { return works(loop, cache.get("a")); }));
    EXPECT_EQ(loop.call(cache.get("a")), "1");
}

TEST(RedisCache, WhileOneCommandTriesAgainTheOthersFailAtOnce) {
    TcpProxy proxy(port_of(shared_redis_url()));
    RedisCache cache(redis_options(with_port(shared_redis_url(), proxy.port()), fresh_namespace()));
    Loop loop;
    loop.call(cache.ping());
    proxy.hang();
    EXPECT_FALSE(works(loop, cache.ping()));
    auto accepted = proxy.accepted();
    EXPECT_TRUE(comes_true(5s, [&] {
        std::vector<int> ended;
        for (int i = 0; i < 3; ++i)
            asio::co_spawn(loop.context(), cache.ping(), [&ended, i](const std::exception_ptr& error) {
                EXPECT_TRUE(error);
                ended.push_back(i);
            });
        loop.context().restart();
        loop.context().run();
        if (proxy.accepted() == accepted) return false;
        if (ended.back() != 0) {  // the pause between two attempts ended after the first command: once more
            accepted = proxy.accepted();
            return false;
        }
        EXPECT_THAT(ended, ::testing::ElementsAre(1, 2, 0));  // the first waited in vain for a new connection
        return true;
    }));
    EXPECT_EQ(proxy.accepted(), accepted + 1);
    proxy.pass();
    EXPECT_TRUE(comes_true(comes_back_within, [&] { return works(loop, cache.ping()); }));
}

TEST(RedisCache, AKilledServerIsUsedAgainSoonAfterItsStart) {
    const RealRedis redis;
    RedisCache cache(redis_options(redis.url()));
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    redis.node(0).kill();
    EXPECT_FALSE(works(loop, cache.get("a")));
    EXPECT_FALSE(works(loop, cache.put("a", "2", 1h)));
    redis.node(0).start();
    EXPECT_TRUE(comes_true(comes_back_within, [&] { return works(loop, cache.put("a", "3", 1h)); }));
    EXPECT_EQ(loop.call(cache.take("a")), "3");
}

TEST(RedisCache, AnIdleConnectionThatWasClosedIsNoticedBeforeUse) {
    const RealRedis redis;
    RedisCache cache(redis_options(redis.url()));
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    EXPECT_EQ(redis.command(0, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}), "1");
    EXPECT_EQ(loop.call(cache.take("a")), "1");  // take() is never retried, so the closed connection was noticed first
}

// Reads "a", and takes the answer, or the end of the connection, only after some other work.
awaitable<std::optional<std::string>> read_late(RedisCache& cache, milliseconds later) {
    const auto executor = co_await asio::this_coro::executor;
    const auto reading = cache.begin_get(executor, "a");
    asio::steady_timer other_work(executor, later);
    co_await other_work.async_wait(asio::use_awaitable);
    if (!reading->is_done()) co_await reading->wait();
    co_return reading->value();
}

TEST(RedisCache, AReadWhoseConnectionEndsBeforeItIsAwaitedIsRepeated) {
    const RealRedis redis;
    TcpProxy proxy(redis.node(0).port());
    RedisCache cache(redis_options(url_of(proxy.port())));
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    EXPECT_EQ(loop.call(read_late(cache, 20ms)), "1");
    proxy.mute_when("GET\r\n");
    EXPECT_EQ(loop.call(read_late(cache, 20ms)), "1");
    EXPECT_EQ(proxy.cut(), 1u);
    proxy.hang();
    EXPECT_THROW(loop.call(read_late(cache, 1ms)), Unavailable);
}

TEST(RedisCache, ALostAnswerIsAskedForAgainOnlyWhereASecondTimeChangesNothing) {
    const RealRedis redis;
    TcpProxy proxy(redis.node(0).port());
    RedisCache cache(redis_options(url_of(proxy.port())));
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    proxy.mute_when("GET\r\n");
    EXPECT_EQ(loop.call(cache.get("a")), "1");
    EXPECT_EQ(proxy.cut(), 1u);

    proxy.mute_when("GETDEL");
    EXPECT_THROW(loop.call(cache.take("a")), Unavailable);
    EXPECT_EQ(proxy.cut(), 2u);
    EXPECT_THAT(redis.command(0, {"INFO", "commandstats"}), HasSubstr("cmdstat_getdel:calls=1,"));
    EXPECT_EQ(loop.call(cache.take("a")), std::nullopt);

    proxy.mute_when("NX");
    EXPECT_THROW(loop.call(cache.put_if_absent("b", "1", 1h)), Unavailable);
    EXPECT_FALSE(loop.call(cache.put_if_absent("b", "2", 1h)));

    proxy.mute_when("\r\nDEL\r\n");
    loop.call(cache.erase("b"));
    EXPECT_EQ(proxy.cut(), 4u);
    EXPECT_EQ(loop.call(cache.get("b")), std::nullopt);
}

// What is in the cache after the server's clock was put back by an hour.
TEST(RedisCache, AServerWhoseClockIsPutBackAdmitsAsBefore) {
    const RealRedis redis;
    RedisCache cache(redis_options(redis.url()));
    const std::string later = std::to_string(std::stoll(redis.command(0, {"TIME"})) * 1'000 + 3'600'000);
    for (int i = 0; i < 10; ++i) redis.command(0, {"LPUSH", "test:exact:times", later});
    redis.command(0, {"PEXPIRE", "test:exact:times", "3600000"});
    for (std::int64_t left = 9; left >= 0; --left) {
        const Admission admission = run(cache.admit("exact", 10, 1min));
        EXPECT_TRUE(admission.admitted);
        EXPECT_EQ(admission.remaining, left);
    }
    EXPECT_FALSE(run(cache.admit("exact", 10, 1min)).admitted);

    constexpr std::int64_t many = SlidingWindows::exact_limit_max + 1;
    redis.command(0, {"SET", "test:many:count", std::to_string(many), "PX", "3600000"});
    for (std::int64_t left = many - 1; left >= 0; --left) {
        const Admission admission = run(cache.admit("many", many, 1min));
        ASSERT_TRUE(admission.admitted);
        ASSERT_EQ(admission.remaining, left);
        ASSERT_LE(admission.wait, 1min);
    }
    EXPECT_FALSE(run(cache.admit("many", many, 1min)).admitted);
}

TEST(RedisCache, ACanceledCallerLeavesTheAnswersOfOthersInOrder) {
    TcpProxy proxy(port_of(shared_redis_url()));
    auto options = redis_options(with_port(shared_redis_url(), proxy.port()), fresh_namespace());
    options.timeout = 5s;
    RedisCache cache(options);
    Loop loop;
    loop.call(cache.put("a", "1", 1min));
    loop.call(cache.put("b", "2", 1min));
    proxy.delay(100ms);
    asio::cancellation_signal signal;
    std::exception_ptr canceled;
    asio::co_spawn(loop.context(), cache.get("a"),
                   asio::bind_cancellation_slot(signal.slot(),
                                                [&](std::exception_ptr error, auto) { canceled = std::move(error); }));
    asio::post(loop.context(), [&] { signal.emit(asio::cancellation_type::terminal); });
    EXPECT_EQ(loop.call(cache.get("b")), "2");
    ASSERT_TRUE(canceled);
    EXPECT_THROW(std::rethrow_exception(canceled), boost::system::system_error);
}

TEST(RedisCache, WhatTheServerRefusesIsAnOutage) {
    const RealRedis redis;
    RedisCache cache(redis_options(redis.url()));
    Loop loop;
    loop.call(cache.put("a", "1", 1h));
    redis.command(0, {"CONFIG", "SET", "maxmemory", "1"});
    const std::string full = complaint([&] { loop.call(cache.put("b", "secret", 1h)); });
    EXPECT_THAT(full, ::testing::EndsWith("answers OOM"));  // a word of the answer rather than the whole line
    EXPECT_EQ(loop.call(cache.get("a")), "1");
    redis.command(0, {"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_NO_THROW(loop.call(cache.put("b", "2", 1h)));

    redis.command(0, {"REPLICAOF", "127.0.0.1", "1"});
    EXPECT_THAT(complaint([&] { loop.call(cache.put("b", "3", 1h)); }), HasSubstr("READONLY"));
    redis.command(0, {"REPLICAOF", "NO", "ONE"});
    EXPECT_TRUE(comes_true(comes_back_within, [&] { return works(loop, cache.put("b", "3", 1h)); }));
}

TEST(RedisCache, WhatWaitsForASilentServerIsBounded) {
    TcpProxy proxy(port_of(shared_redis_url()));
    RedisCache cache(redis_options(with_port(shared_redis_url(), proxy.port()), fresh_namespace()));
    proxy.hang();
    std::vector<awaitable<std::optional<std::string>>> gets;
    for (int i = 0; i < 20'000; ++i) gets.push_back(cache.get("a"));
    int too_many = 0;
    for (const auto& ended : run_all(std::move(gets), 1)) {
        ASSERT_FALSE(ended);
        too_many += complaint([&] { std::rethrow_exception(ended.error()); }).contains("too many") ? 1 : 0;
    }
    EXPECT_EQ(too_many, 20'000 - 16'384);
}

TEST(RedisCache, AThreadMayEndAtAnyPoint) {
    RedisCache cache(redis_options(shared_redis_url(), fresh_namespace()));
    end_at_each_point([&] { return cache.get("a"); });
    end_at_each_point([&] { return read_late(cache, 0ms); });
    EXPECT_NO_THROW(run(cache.ping()));
}

TEST(RedisCache, SpeaksTlsWithUserAndDatabase) {
    const RealRedis redis({.tls = true, .user = "app"});
    auto options = redis_options(redis.url());
    options.db = 3;
    RedisCache cache(options);
    EXPECT_NO_THROW(cache.check());
    Loop loop;
    const std::string large(1 << 20, 'x');
    loop.call(cache.put("a", large, 1h));
    EXPECT_EQ(loop.call(cache.get("a")), large);
    EXPECT_THAT(redis.command(0, {"INFO", "keyspace"}), HasSubstr("db3:keys=1"));
    redis.node(0).kill();
    EXPECT_FALSE(works(loop, cache.ping()));
    redis.node(0).start();
    EXPECT_TRUE(comes_true(comes_back_within, [&] { return works(loop, cache.ping()); }));
}

}  // namespace
}  // namespace consentry::tests
