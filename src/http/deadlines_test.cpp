#include "http/deadlines.hpp"

#include <deque>

#include <gtest/gtest.h>

namespace consentry::http {
namespace {

struct Counted final : Expiring {
    using Expiring::expire_at;
    Counted(std::size_t& expired, CoarseClock::time_point time) : expired_(expired) { expire_at(time); }
    void on_expired() override { ++expired_; }

private:
    std::size_t& expired_;
};

TEST(Deadlines, OfVeryManyExpireInPortionsWithOtherWorkBetween) {
    boost::asio::io_context context;
    Deadlines deadlines(context, std::chrono::milliseconds{1});
    std::size_t expired = 0;
    std::deque<Counted> items;
    for (int i = 0; i < 1'000; ++i) deadlines.add(items.emplace_back(expired, CoarseClock::time_point::min()));
    Counted later(expired, CoarseClock::time_point::max());
    deadlines.add(later);
    while (expired < items.size()) {
        const std::size_t before = expired;
        ASSERT_EQ(context.run_one(), 1U);
        EXPECT_LE(expired - before, Deadlines::expired_at_once_max);
    }
    context.run_one();
    EXPECT_EQ(expired, items.size()) << "each once, and none that is not due";
}

TEST(Deadlines, WhoWaitsForItsTurnMayEndOrGoOn) {
    boost::asio::io_context context;
    Deadlines deadlines(context, std::chrono::milliseconds{1});
    std::size_t expired = 0;
    std::deque<Counted> items;
    for (int i = 0; i < 50; ++i) deadlines.add(items.emplace_back(expired, CoarseClock::time_point::min()));
    ASSERT_EQ(context.run_one(), 1U);
    const std::size_t first = expired;
    ASSERT_GT(first, 0U);
    while (items.size() > first + 10) items.pop_back();
    for (std::size_t i = first; i < first + 5; ++i) items[i].expire_at(CoarseClock::time_point::max());
    while (expired < first + 5) ASSERT_EQ(context.run_one(), 1U);
    context.run_one();
    EXPECT_EQ(expired, first + 5) << "neither those that ended nor those with another deadline";
}

}  // namespace
}  // namespace consentry::http
