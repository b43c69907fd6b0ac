// Tests that client networks take turns in a pool. The tests hold the pool's only thread, so that no order depends on
// timing.
#include "base/worker_pool.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace consentry {
namespace {

ClientNetwork network(std::uint32_t number) { return ClientNetwork::of(asio::ip::address_v4(number)); }

class Turns : public testing::Test {
protected:
    // Keeps the thread busy until release() is called.
    Turns() {
        asio::co_spawn(
            context_,
            [this]() -> awaitable<void> {
                co_await pool_.run([this] {
                    begun_.set_value();
                    released_.get_future().wait();
                    return true;
                });
            },
            asio::detached);
        context_.poll();
        begun_.get_future().wait();
    }
    void send(std::string name, ClientNetwork from) {
        asio::co_spawn(
            context_,
            [this, name, from]() -> awaitable<void> {
                try {
                    co_await pool_.run(
                        [this, name] {
                            done_.push_back(name);
                            return true;
                        },
                        from);
                } catch (const Unavailable&) {
                    refused_.push_back(name);
                }
            },
            asio::detached);
        context_.restart();
        context_.poll();
    }
    const std::vector<std::string>& release() {
        released_.set_value();
        context_.restart();
        context_.run();
        return done_;
    }

    asio::io_context context_;
    std::promise<void> begun_;
    std::promise<void> released_;
    std::vector<std::string> done_;
    std::vector<std::string> refused_;
    WorkerPool pool_{{.name = "turns", .threads = 1, .queue_max = 17, .nice = 0}};
};

TEST_F(Turns, ANetworkWaitsForOneTaskOfEachOther) {
    for (int i = 0; i < 5; ++i) send("a" + std::to_string(i), network(1));
    for (int i = 0; i < 3; ++i) send("b" + std::to_string(i), network(2));
    send("c", network(3));
    const std::vector<std::string> expected{"a0", "b0", "c", "a1", "b1", "a2", "b2", "a3", "a4"};
    EXPECT_EQ(release(), expected);
}

TEST_F(Turns, AStormFromOneNetworkLeavesRoomForAnother) {
    // Regression: a hundred logins from one address filled the queue, and all other clients were told to retry later.
    for (int i = 0; i < 100; ++i) send("a", network(1));
    EXPECT_GE(refused_.size(), 80U);
    refused_.clear();
    send("b", network(2));
    EXPECT_TRUE(refused_.empty());
    EXPECT_EQ(release().at(1), "b");
}

TEST_F(Turns, TwoStormsLeaveRoomForAThird) {
    for (int i = 0; i < 100; ++i) {
        send("a", network(1));
        send("b", network(2));
    }
    refused_.clear();
    send("c", network(3));
    EXPECT_TRUE(refused_.empty());
    EXPECT_EQ(release().at(2), "c");
}

TEST_F(Turns, TheServiceItselfMayUseEveryPlace) {
    for (int i = 0; i < 17; ++i) send("own", {});
    EXPECT_TRUE(refused_.empty());
    send("own", {});
    send("a", network(1));
    EXPECT_EQ(refused_.size(), 2U);
    EXPECT_EQ(release().size(), 17U);
}

TEST_F(Turns, APlaceThatIsGivenBackIsFree) {
    {
        std::vector<WorkerPool::Place> places;
        for (int i = 0; i < 17; ++i) places.push_back(pool_.place());
        EXPECT_THROW(pool_.place(), Unavailable);
    }
    EXPECT_EQ(pool_.waiting(), 1U);
    send("a", network(1));
    EXPECT_EQ(release().size(), 1U);
    EXPECT_EQ(pool_.refused(), 1U);
}

// A pool of two threads and one for guests, which differ in their nice values.
class Guests : public testing::Test {
protected:
    static constexpr int nice = 19;
    static constexpr int guest_nice = 10;

    ~Guests() override { release(); }
    void send(ClientNetwork from, std::function<void()> work) {
        asio::co_spawn(
            context_,
            [this, from, work]() -> awaitable<void> {
                co_await pool_.run(
                    [work] {
                        work();
                        return true;
                    },
                    from);
            },
            asio::detached);
        context_.restart();
        context_.poll();
    }
    // Runs a task to its end. Returns the nice value of its thread.
    int finish(ClientNetwork from) {
        const auto done = std::make_shared<std::promise<int>>();
        send(from, [done] { done->set_value(getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)))); });
        auto nice_value = done->get_future();
        if (nice_value.wait_for(std::chrono::seconds{30}) != std::future_status::ready)
            throw std::runtime_error("the task does not run");
        return nice_value.get();
    }
    // Gives the pool tasks that last until release(), and waits until `running` of all of these run.
    void occupy(ClientNetwork from, int tasks, int running) {
        for (int i = 0; i < tasks; ++i)
            send(from, [this] {
                ++begun_;
                begun_.notify_all();
                release_.wait();
            });
        for (int now = begun_; now < running; now = begun_) begun_.wait(now);
    }
    void release() {
        if (!std::exchange(is_released_, true)) released_.set_value();
        context_.restart();
        context_.run();
    }

    asio::io_context context_;
    std::atomic<int> begun_ = 0;
    bool is_released_ = false;
    std::promise<void> released_;
    std::shared_future<void> release_ = released_.get_future().share();
    WorkerPool pool_{{.name = "guests", .threads = 2, .queue_max = 17, .nice = nice, .guest_nice = guest_nice}};
};

TEST_F(Guests, FindTheirThreadFreeWhileAnotherNetworkHasAllOthers) {
    occupy(network(2), 3, 2);
    EXPECT_EQ(finish(network(1)), guest_nice);
    EXPECT_EQ(finish(network(3)), guest_nice);
    EXPECT_EQ(begun_, 2) << "a network has the guests' thread besides others";
    release();
    EXPECT_EQ(begun_, 3);
}

TEST_F(Guests, TakeTurnsOnTheirThread) {
    occupy(network(2), 2, 2);
    occupy(network(1), 2, 3);
    send(network(3), [this] { ++begun_; });
    EXPECT_EQ(begun_, 3);
    release();
    EXPECT_EQ(begun_, 5);
}

TEST_F(Guests, FindOneAmongThoseWhoWait) {
    occupy(network(2), 1, 1);
    occupy(network(1), 1, 2);
    occupy(network(2), 2, 2);
    occupy(network(1), 2, 2);
    EXPECT_EQ(finish(network(3)), guest_nice);
    EXPECT_EQ(begun_, 2);
}

TEST_F(Guests, LeaveTheirThreadAloneWhileAnotherIsFree) {
    occupy(network(2), 1, 1);
    EXPECT_EQ(finish(network(1)), nice);
}

TEST_F(Guests, TheServiceItselfIsNone) {
    occupy({}, 3, 2);
    EXPECT_EQ(finish(network(1)), guest_nice);
    EXPECT_EQ(begun_, 2);
}

TEST(WorkerPoolHooks, AThreadBeginsOnceAndRestsWhenNothingWaits) {
    std::vector<std::string> done;  // by the pool's only thread
    std::promise<void> rested;
    std::promise<void> released;
    asio::io_context context;
    {
        WorkerPool pool({.name = "hooks",
                         .begin = [&] { done.emplace_back("begin"); },
                         .idle =
                             [&] {
                                 done.emplace_back("idle");
                                 rested.set_value();
                             }});
        const auto send = [&](std::string name) {
            asio::co_spawn(
                context,
                [&, name]() -> awaitable<void> {
                    co_await pool.run([&, name] {
                        if (name == "first") released.get_future().wait();
                        done.push_back(name);
                        return true;
                    });
                },
                asio::detached);
        };
        for (const char* name : {"first", "second", "third"}) send(name);
        context.poll();
        released.set_value();
        rested.get_future().wait();
        const std::vector<std::string> expected{"begin", "first", "second", "third", "idle"};
        EXPECT_EQ(done, expected);
        rested = std::promise<void>();
        send("fourth");
        context.restart();
        context.run();
        rested.get_future().wait();
    }
    const std::vector<std::string> expected{"begin", "first", "second", "third", "idle", "fourth", "idle"};
    EXPECT_EQ(done, expected);
}

// A result that records how many places are taken each time the worker thread moves it.
class Looking {
public:
    Looking(const WorkerPool& pool, std::vector<std::size_t>& seen)
        : pool_(&pool), seen_(&seen), worker_(std::this_thread::get_id()) {}
    Looking(Looking&& other) noexcept : pool_(other.pool_), seen_(other.seen_), worker_(other.worker_) { look(); }
    Looking& operator=(Looking&& other) noexcept {
        pool_ = other.pool_;
        seen_ = other.seen_;
        worker_ = other.worker_;
        look();
        return *this;
    }
    ~Looking() = default;

private:
    void look() {
        if (std::this_thread::get_id() == worker_) seen_->push_back(pool_->waiting());
    }
    const WorkerPool* pool_;
    std::vector<std::size_t>* seen_;
    std::thread::id worker_;
};

TEST(WorkerPool, APlaceIsFreeBeforeItsAnswerIsThere) {
    // Regression: a caller that had received its last result was told that the queue was full.
    std::vector<std::size_t> seen;
    WorkerPool pool({.name = "looking", .threads = 1, .queue_max = 0, .nice = 0});
    asio::io_context context;
    for (const bool fails : {false, true}) {
        asio::co_spawn(
            context,
            [&, fails]() -> awaitable<void> {
                co_await pool.run([&, fails] {
                    if (fails) throw std::runtime_error("injected fault");
                    return Looking(pool, seen);
                });
            },
            [](const std::exception_ptr&) {});
        context.restart();
        context.run();
        EXPECT_EQ(pool.waiting(), 0U);
    }
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back(), 0U) << "when the worker gives it to whoever waits";
}

TEST(ClientNetworks, AnAddressOrAPrefixOfSixtyFourBitsIsOneClient) {
    const auto of = [](const char* text) { return ClientNetwork::of(asio::ip::make_address(text)); };
    EXPECT_EQ(of("192.0.2.1"), of("::ffff:192.0.2.1"));
    EXPECT_NE(of("192.0.2.1"), of("192.0.2.2"));
    EXPECT_EQ(of("2001:db8::1"), of("2001:db8::ffff:ffff:ffff:ffff"));
    EXPECT_NE(of("2001:db8::1"), of("2001:db8:0:1::1"));
    EXPECT_NE(of("::1"), ClientNetwork{});
    EXPECT_NE(of("0.0.0.0"), ClientNetwork{});
}

}  // namespace
}  // namespace consentry
