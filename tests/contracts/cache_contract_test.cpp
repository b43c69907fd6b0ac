// Tests the cache port: copies that may vanish, and values that are handed out only once.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include "storage/memory/memory_cache.hpp"
#include "tests/contracts/engines.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

class CacheContract : public ::testing::TestWithParam<CacheEngine> {
protected:
    CacheContract() : place(GetParam().make()), cache(place->open()) {}
    std::optional<std::string> get(std::string key) { return run(cache->get(std::move(key))); }
    void put(std::string key, std::string value, milliseconds ttl) {
        run(cache->put(std::move(key), std::move(value), ttl));
    }

    std::unique_ptr<CachePlace> place;
    std::unique_ptr<storage::Cache> cache;
};

TEST_P(CacheContract, KeepsValuesByKey) {
    const std::string bytes("\0\xFF\n", 3);
    put("a", "1", 1min);
    put("b", bytes, 1min);
    put("empty", "", 1min);
    EXPECT_EQ(get("a"), "1");
    EXPECT_EQ(get("b"), bytes);
    EXPECT_EQ(get("empty"), "");
    EXPECT_EQ(get("c"), std::nullopt);
    EXPECT_NO_THROW(run(cache->ping()));
}

awaitable<std::optional<std::string>> value_of(std::unique_ptr<storage::Cache::Reading> reading) {
    if (!reading->is_done()) co_await reading->wait();
    EXPECT_TRUE(reading->is_done());
    co_return reading->value();
}

// Begins to read both keys, does something else, and then takes the values.
awaitable<std::vector<std::optional<std::string>>> read_later(storage::Cache& cache, std::string key,
                                                              std::string other) {
    const auto executor = co_await boost::asio::this_coro::executor;
    auto first = cache.begin_get(executor, std::move(key));
    cache.begin_get(executor, other).reset();  // abandoned
    auto second = cache.begin_get(executor, std::move(other));
    co_await cache.put("meanwhile", "3", 1min);
    std::vector<std::optional<std::string>> values;
    values.push_back(co_await value_of(std::move(first)));
    values.push_back(co_await value_of(std::move(second)));
    co_return values;
}

TEST_P(CacheContract, AReadThatHasBegunIsAwaitedAfterOtherWork) {
    put("a", "1", 1min);
    EXPECT_EQ(run(read_later(*cache, "a", "missing")), (std::vector<std::optional<std::string>>{"1", std::nullopt}));
    EXPECT_EQ(run(read_later(*cache, "missing", "a")), (std::vector<std::optional<std::string>>{std::nullopt, "1"}));
    EXPECT_EQ(get("meanwhile"), "3");
}

TEST_P(CacheContract, PutReplacesValueAndTime) {
    put("a", "1", 1s);
    put("a", "2", 1min);
    place->pass(30s);
    EXPECT_EQ(get("a"), "2");
    put("a", "3", 1s);
    place->pass(1s);
    EXPECT_EQ(get("a"), std::nullopt);
}

TEST_P(CacheContract, AValueLivesUntilItsTimeAndNotAtIt) {
    put("a", "1", 5min);
    place->pass(5min - GetParam().precision);
    EXPECT_EQ(get("a"), "1");
    place->pass(GetParam().precision);
    EXPECT_EQ(get("a"), std::nullopt);
    EXPECT_EQ(run(cache->take("a")), std::nullopt);
}

TEST_P(CacheContract, ATimeOfZeroOrLessRemoves) {
    put("a", "1", 1min);
    put("a", "2", 0ms);
    EXPECT_EQ(get("a"), std::nullopt);
    put("b", "1", 1min);
    put("b", "2", -1ms);
    EXPECT_EQ(get("b"), std::nullopt);
}

TEST_P(CacheContract, AVeryLongTimeDoesNotOverflow) {
    put("a", "1", milliseconds::max());
    EXPECT_EQ(get("a"), "1");
}

TEST_P(CacheContract, AdmitsNoMoreEventsInAWindowThanTheLimit) {
    for (const std::int64_t limit : {std::int64_t{3}, SlidingWindows::exact_limit_max + 1}) {
        const std::string key = "events" + std::to_string(limit);
        for (std::int64_t left = limit - 1; left >= 0; --left) {
            const Admission admission = run(cache->admit(key, limit, 1h));
            EXPECT_TRUE(admission.admitted);
            EXPECT_EQ(admission.remaining, left);
        }
        const Admission refused = run(cache->admit(key, limit, 1h));
        EXPECT_FALSE(refused.admitted);
        EXPECT_EQ(refused.remaining, 0);
        EXPECT_GT(refused.wait, 1h - GetParam().precision - 1s);
        EXPECT_LE(refused.wait, 1h);
        EXPECT_TRUE(run(cache->admit(key + "other", limit, 1h)).admitted);
        place->pass(1h);
        EXPECT_TRUE(run(cache->admit(key, limit, 1h)).admitted);
    }
}

TEST_P(CacheContract, OfManyCallersAtOnceNoMoreThanTheLimitAreAdmitted) {
    for (const std::int64_t limit : {std::int64_t{10}, SlidingWindows::exact_limit_max + 1}) {
        std::atomic<int> admitted{0};
        std::vector<std::thread> callers;
        std::vector<std::unique_ptr<storage::Cache>> others;
        for (int i = 0; i < 8; ++i) others.push_back(place->is_shared() ? place->open() : nullptr);
        for (auto& other : others)
            callers.emplace_back([&, own = other ? other.get() : cache.get()] {
                for (int i = 0; i < 50; ++i)
                    if (run(own->admit("events" + std::to_string(limit), limit, 1h)).admitted) ++admitted;
            });
        for (auto& caller : callers) caller.join();
        EXPECT_EQ(admitted.load(), limit);
    }
}

TEST_P(CacheContract, PutIfAbsentLeavesWhatLives) {
    EXPECT_TRUE(run(cache->put_if_absent("a", "1", 1min)));
    EXPECT_FALSE(run(cache->put_if_absent("a", "2", 1min)));
    EXPECT_EQ(get("a"), "1");
    place->pass(1min);
    EXPECT_TRUE(run(cache->put_if_absent("a", "3", 1min)));
    EXPECT_EQ(get("a"), "3");
}

TEST_P(CacheContract, TakeRemoves) {
    put("a", "1", 1min);
    EXPECT_EQ(run(cache->take("a")), "1");
    EXPECT_EQ(run(cache->take("a")), std::nullopt);
    EXPECT_EQ(get("a"), std::nullopt);
}

TEST_P(CacheContract, EraseRemovesAndAbsentIsFine) {
    put("a", "1", 1min);
    run(cache->erase("a"));
    run(cache->erase("a"));
    EXPECT_EQ(get("a"), std::nullopt);
}

TEST_P(CacheContract, IsOneForAllProcesses) {
    if (!place->is_shared()) GTEST_SKIP() << "in one process";
    const auto other = place->open();
    put("a", "1", 1min);
    EXPECT_EQ(run(other->take("a")), "1");
    EXPECT_EQ(get("a"), std::nullopt);
    for (int round = 0; round < 20; ++round) {
        put("challenge", "user", 1min);
        EXPECT_EQ(successes_of(64, [&](std::size_t i) { return (i % 2 == 0 ? *cache : *other).take("challenge"); }),
                  1u);
    }
}

TEST_P(CacheContract, OneValueIsTakenByOneCallerOnly) {
    for (int round = 0; round < 20; ++round) {
        put("challenge", "user", 1min);
        EXPECT_EQ(successes_of(64, [this](std::size_t) { return cache->take("challenge"); }), 1u);
    }
}

TEST_P(CacheContract, OneCallerPutsWhereNothingWas) {
    for (int round = 0; round < 20; ++round) {
        const std::string key = "lock" + std::to_string(round);
        EXPECT_EQ(successes_of(64, [&](std::size_t) { return cache->put_if_absent(key, "mine", 1min); }), 1u);
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, CacheContract, ::testing::ValuesIn(cache_engines()),
                         [](const auto& info) { return info.param.name; });

// The in-process engine additionally bounds its memory, whatever callers store in it (CHL-6).

constexpr std::size_t bound = 1 << 20;

awaitable<std::size_t> most_bytes_while_filling(storage::MemoryCache& cache, int from, int to) {
    std::size_t most = 0;
    for (int i = from; i < to; ++i) {
        co_await cache.put("key" + std::to_string(i), "value" + std::to_string(i), 1min);
        if (i % 1024 == 0) most = std::max(most, cache.bytes());
    }
    co_return most;
}

TEST(MemoryCache, StaysBelowItsBoundUnderAMillionInserts) {
    ManualClock clock{from_epoch_ms(1)};
    storage::MemoryCache cache(clock, bound);
    std::vector<awaitable<std::size_t>> works;
    for (int i = 0; i < 4; ++i) works.push_back(most_bytes_while_filling(cache, i * 250'000, (i + 1) * 250'000));
    for (const std::size_t most : values_of(std::move(works))) EXPECT_LE(most, bound);
    EXPECT_GT(cache.bytes(), bound / 2);
    EXPECT_EQ(run(cache.get("key0")), std::nullopt);
    run(cache.put("last", "1", 1min));
    EXPECT_EQ(run(cache.get("last")), "1");
}

TEST(MemoryCache, ForgetsFirstWhatWasNotUsedForLongest) {
    ManualClock clock{from_epoch_ms(1)};
    storage::MemoryCache cache(clock, bound);
    run(cache.put("hot", "1", 1min));
    for (int i = 0; i < 20'000; i += 100) {
        run(most_bytes_while_filling(cache, i, i + 100));
        EXPECT_NE(run(cache.get("hot")), std::nullopt);
    }
}

TEST(MemoryCache, GivesBackWhatItCounted) {
    ManualClock clock{from_epoch_ms(1)};
    storage::MemoryCache cache(clock, bound);
    run(cache.put("a", std::string(1000, 'x'), 1min));
    run(cache.put("b", std::string(1000, 'x'), 1min));
    run(cache.put("c", std::string(1000, 'x'), 1s));
    run(cache.put("a", "short", 1min));
    run(cache.take("b"));
    run(cache.erase("a"));
    clock.advance(1s);
    EXPECT_EQ(run(cache.get("c")), std::nullopt);
    EXPECT_EQ(cache.bytes(), 0u);
}

TEST(MemoryCache, AStepOfTheClockMovesNoEnd) {
    ManualClock clock{from_epoch_ms(1'000'000'000)};
    storage::MemoryCache cache(clock, bound);
    run(cache.put("a", "1", 1min));
    for (const auto step : {1h, -2h}) {
        clock.step(step);
        EXPECT_EQ(run(cache.get("a")), "1");
    }
    clock.advance(1min);
    EXPECT_EQ(run(cache.get("a")), std::nullopt);

    EXPECT_TRUE(run(cache.admit("b", 1, 1min)).admitted);
    for (const auto step : {1h, -2h}) {
        clock.step(step);
        EXPECT_FALSE(run(cache.admit("b", 1, 1min)).admitted);
    }
    clock.advance(1min);
    EXPECT_TRUE(run(cache.admit("b", 1, 1min)).admitted);
}

TEST(LIM_4, KeysOfLongWindowsDoNotKeepThoseOfShortOnes) {
    ManualClock clock{from_epoch_ms(1'000'000'000)};
    storage::MemoryCache cache(clock, bound);
    for (int i = 0; i < 200; ++i) run(cache.admit("rare" + std::to_string(i), 5, 10min));
    constexpr int at_once = 40'000;  // of the hundred thousand that have an entry of their own
    for (int i = 0; i < 4 * at_once; ++i) {
        if (i % at_once == 0) clock.advance(1s);
        run(cache.admit("often" + std::to_string(i), 1, 500ms));
    }
    int refused = 0;
    for (int i = 0; i < 200; ++i) refused += run(cache.admit("new" + std::to_string(i), 1, 500ms)).admitted ? 0 : 1;
    EXPECT_EQ(refused, 0) << "each has an entry of its own";
}

TEST(MemoryCache, DoesNotKeepWhatIsLargerThanItsShare) {
    ManualClock clock{from_epoch_ms(1)};
    storage::MemoryCache cache(clock, bound);
    run(cache.put("a", "1", 1min));
    run(cache.put("a", std::string(bound, 'x'), 1min));
    EXPECT_EQ(run(cache.get("a")), std::nullopt);  // the former value is gone, too
    EXPECT_FALSE(run(cache.put_if_absent("a", std::string(bound, 'x'), 1min)));
}

}  // namespace
}  // namespace consentry::tests
