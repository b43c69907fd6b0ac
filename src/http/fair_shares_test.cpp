#include "http/fair_shares.hpp"

#include <array>
#include <deque>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace consentry::http {
namespace {

using Standing = FairShares::Standing;

ClientNetwork network(std::uint32_t number) { return ClientNetwork::of(boost::asio::ip::address_v4(number)); }
const ClientNetwork greedy = network(1);
const ClientNetwork modest = network(2);

struct One final : FairShares::Holder {
    explicit One(FairShares& all) : shares(all) {}
    ~One() { shares.leave(*this); }
    void give_way() noexcept override { gave_way = true; }
    FairShares& shares;
    bool gave_way = false;
};

class Shares : public testing::Test {
protected:
    // Adds a holder that has had this `standing` since `at`. Returns null if it is not admitted.
    One* take(std::optional<ClientNetwork> whose, FairShares::Ticks at, Standing standing = Standing::idle,
              std::size_t part = 1) {
        One& one = all.emplace_back(shares);
        one.seen(at);
        one.stands(standing);
        now = std::max(now, at);
        return shares.enter(one, whose, part, now) ? &one : nullptr;
    }
    std::size_t gone() const {
        return static_cast<std::size_t>(std::ranges::count_if(all, [](const One& one) { return one.gave_way; }));
    }

    FairShares shares{4};
    std::deque<One> all;
    FairShares::Ticks now = 0;
};

TEST_F(Shares, WhoeverAsksGetsWhatIsLeft) {
    for (int i = 0; i < 4; ++i) EXPECT_NE(take(greedy, i, Standing::working), nullptr);
    EXPECT_EQ(shares.held(), 4U);
    EXPECT_EQ(take(greedy, 9), nullptr) << "all are at work";
    EXPECT_EQ(take(modest, 9), nullptr);
    EXPECT_EQ(shares.refused(), 2U);
    all.pop_front();
    EXPECT_EQ(shares.held(), 3U);
    EXPECT_NE(take(modest, 9), nullptr);
}

TEST_F(Shares, TheNetworkThatHasMostGivesWayFirstThoughItsOwnAreYounger) {
    One* const old = take(modest, 1);
    One* const first = take(greedy, 10);
    One* const second = take(greedy, 5);
    take(greedy, 20);
    EXPECT_NE(take(network(3), 30), nullptr);
    EXPECT_TRUE(second->gave_way) << "the one without a request for longest";
    EXPECT_FALSE(first->gave_way);
    EXPECT_FALSE(old->gave_way);
    EXPECT_EQ(shares.held(), 4U);
}

TEST_F(Shares, ARequestSinceThenCounts) {
    One* const busy = take(greedy, 1);
    One* const quiet = take(greedy, 2);
    take(greedy, 3);
    take(greedy, 4);
    busy->seen(10);
    EXPECT_NE(take(modest, 20), nullptr);
    EXPECT_TRUE(quiet->gave_way);
    EXPECT_FALSE(busy->gave_way);
}

TEST_F(Shares, WhoHoldsMostReplacesTheirOwn) {
    One* const other = take(modest, 1);
    One* const own = take(greedy, 2);
    take(greedy, 3);
    take(greedy, 4);
    EXPECT_NE(take(greedy, 30), nullptr);
    EXPECT_TRUE(own->gave_way);
    EXPECT_FALSE(other->gave_way);
}

TEST_F(Shares, AmongEqualsTheLongestWithoutARequestGivesWay) {
    take(network(11), 2);
    One* const longest = take(network(12), 1);
    take(network(13), 3);
    take(network(14), 4);
    EXPECT_NE(take(network(15), 5), nullptr);
    EXPECT_TRUE(longest->gave_way);
    EXPECT_EQ(gone(), 1U);
}

TEST_F(Shares, WhoHoldsMoreTakesNothingFromWhoHoldsLess) {
    One* const other = take(modest, 1);
    for (int i = 2; i < 5; ++i) take(greedy, i, Standing::working);
    EXPECT_EQ(take(greedy, 9), nullptr);
    EXPECT_FALSE(other->gave_way);
}

TEST_F(Shares, WhatIsReceivedGivesWayToWhoWouldHoldNoMore) {
    One* const first = take(greedy, 1, Standing::receiving);
    for (int i = 2; i < 5; ++i) take(greedy, i, Standing::receiving);
    EXPECT_EQ(take(greedy, 5, Standing::receiving), nullptr) << "not to their own";
    EXPECT_NE(take(modest, 6, Standing::receiving), nullptr);
    EXPECT_TRUE(first->gave_way);
    EXPECT_NE(take(modest, 7, Standing::receiving), nullptr);
    EXPECT_EQ(take(modest, 8, Standing::receiving), nullptr) << "both have half";
    EXPECT_EQ(gone(), 2U);
}

TEST_F(Shares, WhatIsWorkedOnNeverGivesWay) {
    for (int i = 0; i < 3; ++i) take(greedy, i, Standing::working);
    One* const idle = take(greedy, 50);
    EXPECT_NE(take(modest, 60), nullptr);
    EXPECT_TRUE(idle->gave_way);
    EXPECT_EQ(gone(), 1U);
}

TEST_F(Shares, ProxiesMayHoldAlmostAllButNotAgainstWhoHasNothing) {
    One* const longest = take(std::nullopt, 1);
    for (int i = 2; i < 5; ++i) take(std::nullopt, i);
    EXPECT_NE(take(modest, 9), nullptr);
    EXPECT_TRUE(longest->gave_way);
    for (int i = 10; i < 14; ++i) EXPECT_NE(take(std::nullopt, i), nullptr);
    EXPECT_FALSE(all[4].gave_way) << "one is no more than the proxies have";
}

TEST_F(Shares, PartsOfSeveralMakeRoomForOne) {
    take(greedy, 1, Standing::receiving);
    take(greedy, 2, Standing::receiving);
    take(greedy, 3, Standing::receiving);
    take(greedy, 4, Standing::receiving);
    EXPECT_NE(take(modest, 9, Standing::receiving, 2), nullptr);
    EXPECT_EQ(gone(), 2U);
    EXPECT_EQ(take(network(3), 10, Standing::receiving, 3), nullptr);
    EXPECT_EQ(gone(), 2U) << "nothing gives way for what finds no room all the same";
    EXPECT_EQ(take(network(3), 10, Standing::receiving, 5), nullptr) << "more than the whole";
    EXPECT_EQ(shares.held(), 4U);
    EXPECT_EQ(shares.held_most(), 4U);
}

// Regression: a network that lost all of its several parts at once was forgotten twice, the second time after its end.
TEST_F(Shares, ANetworkThatLosesAllItsPartsAtOnceIsForgottenOnce) {
    take(greedy, 1);
    take(greedy, 2, Standing::idle, 2);
    take(modest, 3, Standing::working);
    EXPECT_NE(take(network(3), 4, Standing::receiving, 2), nullptr);
    EXPECT_EQ(gone(), 2U);
    EXPECT_EQ(shares.held(), 3U);
    EXPECT_NE(take(greedy, 5), nullptr) << "as a network that has come anew";
    EXPECT_EQ(shares.held(), 4U);
}

// What each holder was last granted and has not lost adds up to what is held, whatever came in between.
TEST_F(Shares, AnyOrderOfRequestsKeepsTheBooks) {
    FairShares many(64);
    std::deque<One> holders;
    for (int i = 0; i < 200; ++i) holders.emplace_back(many);
    std::vector<std::size_t> parts(holders.size());
    std::minstd_rand random(20'261'129);
    const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
    for (FairShares::Ticks time = 1; time < 30'000; ++time) {
        const std::size_t which = below(holders.size());
        One& one = holders[which];
        const std::size_t part = 1 + below(below(4) == 0 ? 40 : 4);
        one.seen(time);
        one.stands(std::array{Standing::idle, Standing::idle, Standing::receiving, Standing::working}[below(4)]);
        if (parts[which] == 0) {
            const auto whose = below(8) == 0 ? std::nullopt : std::optional(network(std::uint32_t(below(30))));
            if (many.enter(one, whose, part, time)) parts[which] = part;
        } else if (below(3) == 0) {
            many.leave(one);
            parts[which] = 0;
        } else if (part > parts[which]) {
            if (many.grow(one, part, time)) parts[which] = part;
        } else {
            many.shrink(one, part);
            parts[which] = part;
        }
        for (std::size_t i = 0; i < holders.size(); ++i)
            if (std::exchange(holders[i].gave_way, false)) parts[i] = 0;
        ASSERT_EQ(many.held(), std::accumulate(parts.begin(), parts.end(), std::size_t{0})) << "at " << time;
        ASSERT_LE(many.held(), many.whole()) << "at " << time;
    }
    EXPECT_GT(many.gave_way(), 1'000U);
    EXPECT_GT(many.refused(), 1'000U);
}

TEST_F(Shares, WhatGrowsIsAskedLikeWhatIsNew) {
    One* const one = take(greedy, 1, Standing::receiving);
    EXPECT_TRUE(shares.grow(*one, 2, 2));
    EXPECT_FALSE(shares.grow(*one, 5, 3)) << "more than the whole";
    EXPECT_EQ(one->part(), 2U);
    One* const second = take(greedy, 4, Standing::receiving);
    One* const other = take(modest, 5, Standing::receiving);
    EXPECT_EQ(shares.held(), 4U);
    EXPECT_FALSE(shares.grow(*one, 3, 6)) << "who holds more takes nothing from who holds less";
    EXPECT_TRUE(shares.grow(*other, 2, 7));
    EXPECT_TRUE(second->gave_way);
    EXPECT_FALSE(one->gave_way) << "without it its network would hold less than the one that asks";
    EXPECT_FALSE(shares.grow(*second, 1, 8)) << "it has given way";
    EXPECT_EQ(shares.held(), 4U);
}

TEST_F(Shares, WhatIsGivenBackIsThere) {
    One* const one = take(greedy, 1, Standing::working, 4);
    EXPECT_EQ(take(modest, 2), nullptr);
    shares.shrink(*one, 3);
    EXPECT_EQ(shares.held(), 3U);
    EXPECT_NE(take(modest, 2), nullptr);
}

TEST_F(Shares, NobodyCanBeCrowdedOutByOneNetwork) {
    // The other networks keep their places even if 1,000 parts of one network arrive before each of theirs.
    FairShares many(300);
    std::deque<One> theirs;
    std::deque<One> others;
    FairShares::Ticks time = 0;
    for (std::uint32_t other = 0; other < 100; ++other) {
        for (int i = 0; i < 1'000; ++i) {
            One& one = theirs.emplace_back(many);
            one.seen(++time);
            many.enter(one, greedy, 1, time);
        }
        One& one = others.emplace_back(many);
        one.seen(++time);
        EXPECT_TRUE(many.enter(one, network(100 + other), 1, time));
    }
    for (const One& one : others) EXPECT_FALSE(one.gave_way);
    EXPECT_EQ(many.held(), 300U);
}

}  // namespace
}  // namespace consentry::http
