#include "http/deadlines.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace consentry::http {
namespace {

using namespace std::chrono_literals;

constexpr auto past = CoarseClock::time_point::min();
constexpr auto never = CoarseClock::time_point::max();

// Notes when it expires.
struct Item final : Expiring {
    explicit Item(std::vector<Item*>& expired) : expired_(expired) {}
    void on_expired() override {
        expired_at = CoarseClock::now();
        expired_.push_back(this);
    }
    CoarseClock::time_point expired_at{};

private:
    std::vector<Item*>& expired_;
};

class DeadlinesTest : public testing::Test {
protected:
    Item& add(CoarseClock::time_point deadline) {
        deadlines_.expire(items_.emplace_back(expired_), deadline);
        return items_.back();
    }

    boost::asio::io_context context_;
    Deadlines deadlines_{context_, 1ms};
    std::vector<Item*> expired_;
    std::deque<Item> items_;
};

TEST_F(DeadlinesTest, VeryManyExpireInPortionsWithOtherWorkBetween) {
    constexpr std::size_t many = Deadlines::checked_at_once_max + 1'000;
    for (std::size_t i = 0; i < many; ++i) add(past);
    Item later(expired_);
    deadlines_.expire(later, never);
    while (expired_.size() < many) {
        const std::size_t before = expired_.size();
        ASSERT_EQ(context_.run_one(), 1U);
        EXPECT_LE(expired_.size() - before, Deadlines::expired_at_once_max);
    }
    context_.run_one();
    EXPECT_EQ(expired_.size(), many) << "each once, and none that is not due";
}

TEST_F(DeadlinesTest, AnItemThatWaitsToBeProcessedCanEndOrGetALaterDeadline) {
    for (int i = 0; i < 50; ++i) add(past);
    ASSERT_EQ(context_.run_one(), 1U);
    const std::size_t first = expired_.size();
    ASSERT_GT(first, 0U);
    while (items_.size() > first + 10) items_.pop_back();
    for (std::size_t i = first; i < first + 5; ++i) deadlines_.expire(items_[i], never);
    while (expired_.size() < first + 5) ASSERT_EQ(context_.run_one(), 1U);
    context_.run_one();
    EXPECT_EQ(expired_.size(), first + 5) << "neither those that ended nor those with another deadline";
}

TEST_F(DeadlinesTest, EachExpiresAtItsTimeHoweverItsDeadlineWasSet) {
    const auto now = CoarseClock::now();
    Item& moved_forward = add(now + 1h);
    Item& put_off = add(now + 5ms);
    Item& beyond_a_revolution = add(now + 1100ms);
    Item& plain = add(now + 10ms);
    deadlines_.expire(moved_forward, now + 20ms);
    deadlines_.expire(put_off, now + 30ms);
    while (expired_.size() < 4) ASSERT_EQ(context_.run_one(), 1U);
    EXPECT_EQ(expired_, (std::vector{&plain, &moved_forward, &put_off, &beyond_a_revolution}));
    // A kernel tick before, because the timer's clock is finer than CoarseClock.
    EXPECT_GE(plain.expired_at, now + 0ms);
    EXPECT_GE(put_off.expired_at, now + 20ms);
    EXPECT_GE(beyond_a_revolution.expired_at, now + 1090ms);
}

TEST_F(DeadlinesTest, TheTimerStopsWithTheLastItemAndStartsAgainWithTheNext) {
    add(CoarseClock::now() + 5ms);
    items_.clear();
    context_.run();
    context_.restart();
    add(CoarseClock::now() + 5ms);
    while (expired_.empty()) ASSERT_EQ(context_.run_one(), 1U);
    EXPECT_EQ(expired_.size(), 1U);
}

TEST_F(DeadlinesTest, AllItemsAreVisitedAndMayChangeTheirDeadlines) {
    for (int i = 1; i <= 20; ++i) add(CoarseClock::now() + i * 100ms);
    add(past);
    while (expired_.empty()) ASSERT_EQ(context_.run_one(), 1U);
    ASSERT_EQ(expired_.size(), 1U);
    std::size_t visited = 0;
    deadlines_.for_each([&](Expiring& item) {
        ++visited;
        deadlines_.expire(item, past);
    });
    EXPECT_EQ(visited, 21U);
    while (expired_.size() < 22) ASSERT_EQ(context_.run_one(), 1U);
}

}  // namespace
}  // namespace consentry::http
