#include "storage/shared_clock.hpp"

#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace consentry::storage {
namespace {

using std::chrono::hours;

constexpr TimePoint begin = from_epoch_ms(1'780'000'000'000);

// The machine's own clock, which may differ from that of the database server.
class OwnClock final : public Clock {
public:
    TimePoint now() const override { return time; }
    TimePoint lock_time() const override { return time; }
    TimePoint time = begin;
};

// A database server that only reports its time. Connecting and each direction of a request take time on both clocks.
class TimeServer final : public Database {
public:
    explicit TimeServer(OwnClock& asking) : asking_(asking) {}

    std::optional<TimePoint> server_time_at_start(const std::function<void()>& asking) override {
        if (!time) return std::nullopt;
        pass(connecting);
        asking();
        pass(takes);
        const TimePoint shown = *time;
        pass(takes);
        return shown;
    }
    awaitable<std::optional<TimePoint>> server_time() override {
        co_return server_time_at_start([] {});
    }
    void pass(milliseconds by) {
        *time += by;
        asking_.time += by;
    }

    awaitable<void> ping() override { throw std::logic_error("not asked for"); }
    void migrate(const std::vector<Migration>&) override { throw std::logic_error("not asked for"); }
    bool upgrade_is_due(const std::vector<Migration>&) override { throw std::logic_error("not asked for"); }

    std::optional<TimePoint> time;
    milliseconds takes{0};  // in each direction
    milliseconds connecting{0};

protected:
    awaitable<Outcome> apply(Transaction) override { throw std::logic_error("not asked for"); }
    awaitable<Rows> read(std::string_view, Params) override { throw std::logic_error("not asked for"); }
    awaitable<Rows> search(std::string_view, Params) override { throw std::logic_error("not asked for"); }
    awaitable<Rows> write(Statement) override { throw std::logic_error("not asked for"); }

private:
    OwnClock& asking_;
};

class SharedClockTest : public ::testing::Test {
protected:
    static void follow(SharedClock& clock) {
        boost::asio::io_context context{1};
        auto done = boost::asio::co_spawn(context, clock.follow(), boost::asio::use_future);
        context.run();
        done.get();
    }

    OwnClock own;
    TimeServer server{own};
};

TEST_F(SharedClockTest, TellsLocksByTheServersTime) {
    server.time = begin - hours{1};
    server.takes = milliseconds{400};
    const SharedClock clock(own, server);
    EXPECT_EQ(clock.lock_time(), *server.time) << "the way there and back taken into account";
    EXPECT_EQ(clock.now(), own.time) << "for all but locks the machine's own clock is right";
    server.pass(hours{2});
    EXPECT_EQ(clock.lock_time(), *server.time);
}

TEST_F(SharedClockTest, ASlowConnectionIsNoDifferenceOfTheClocks) {
    server.time = begin;
    server.connecting = seconds{2};  // as if the first of several hosts were down
    const SharedClock clock(own, server);
    EXPECT_EQ(clock.lock_time(), *server.time);
}

TEST_F(SharedClockTest, WithoutAServerIsTheOwnClock) {
    SharedClock clock(own, server);
    follow(clock);
    EXPECT_EQ(clock.lock_time(), own.time);
}

TEST_F(SharedClockTest, FollowsAServerWhoseClockRunsALittleSlower) {
    server.time = begin;
    SharedClock clock(own, server);
    for (int i = 0; i < 1'000; ++i) {
        own.time += seconds{20};
        *server.time += seconds{20} - milliseconds{10};
        follow(clock);
        ASSERT_EQ(clock.lock_time(), *server.time);
    }
}

TEST_F(SharedClockTest, AStepOfTheServersClockMovesNoLock) {
    server.time = begin;
    SharedClock clock(own, server);
    for (const hours step : {hours{1}, hours{-2}}) {
        const TimePoint before = clock.lock_time();
        *server.time += step;
        for (int i = 0; i < 12; ++i) {  // as long as a lock of four minutes
            server.pass(seconds{20});
            follow(clock);
        }
        const milliseconds passed = clock.lock_time() - before;
        EXPECT_LE(std::chrono::abs(passed - seconds{240}), milliseconds{240});
    }
}

TEST_F(SharedClockTest, AskingOftenFollowsNoFaster) {
    server.time = begin;
    SharedClock clock(own, server);
    *server.time += hours{1};
    for (int i = 0; i < 10'000; ++i) follow(clock);
    EXPECT_EQ(clock.lock_time(), begin);
}

}  // namespace
}  // namespace consentry::storage
