// Tests the handoff with an event loop that runs functions only on request. It can hold a thread inside post() after
// the posted function has become visible, which is the worst case on a busy machine.
#include "base/handoff.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/execution_context.hpp>
#include <gtest/gtest.h>

namespace consentry {
namespace {

namespace execution = asio::execution;

class Loop : public asio::execution_context {
public:
    ~Loop() { shutdown(); }
    void run() {
        constexpr int steps_max = 1'000;  // guards against work that keeps posting more work
        for (int step = 0; step < steps_max && !queue.empty(); ++step) {
            const auto next = std::exchange(queue.front(), nullptr);
            queue.pop_front();
            next();
        }
    }
    // Shuts the services down, as the destructor does.
    void end() { shutdown(); }
    std::deque<std::function<void()>> queue;
    std::function<void()> inside_next_post;
    std::atomic<int> work = 0;  // number of work guards that refer to this loop
    int posts = 0;
};

// A service that runs `work` at shutdown. Services shut down in reverse order of creation, so the newest one runs
// first.
class AtTheEnd : public asio::execution_context::service {
public:
    static inline asio::execution_context::id id;
    explicit AtTheEnd(asio::execution_context& context) : service(context) {}
    std::function<void()> work;

private:
    void shutdown() override {
        if (const auto last = std::exchange(work, nullptr)) last();
    }
};

class LoopExecutor {
public:
    explicit LoopExecutor(Loop& loop, bool tracked = false) : loop_(&loop), tracked_(tracked) { loop.work += tracked; }
    LoopExecutor(const LoopExecutor& other) noexcept : LoopExecutor(*other.loop_, other.tracked_) {}
    LoopExecutor& operator=(const LoopExecutor&) = delete;
    ~LoopExecutor() { loop_->work -= tracked_; }

    asio::execution_context& query(execution::context_t) const noexcept { return *loop_; }
    static constexpr execution::blocking_t query(execution::blocking_t) noexcept { return execution::blocking.never; }
    execution::outstanding_work_t query(execution::outstanding_work_t) const noexcept {
        if (tracked_) return execution::outstanding_work.tracked;
        return execution::outstanding_work.untracked;
    }
    LoopExecutor require(execution::outstanding_work_t::tracked_t) const { return LoopExecutor{*loop_, true}; }
    LoopExecutor require(execution::outstanding_work_t::untracked_t) const { return LoopExecutor{*loop_, false}; }

    template <class Function>
    void execute(Function function) const {
        ++loop_->posts;
        auto shared = std::make_shared<Function>(std::move(function));
        loop_->queue.emplace_back([shared = std::move(shared)] { std::move (*shared)(); });
        if (const auto stay = std::exchange(loop_->inside_next_post, nullptr)) stay();
    }
    bool operator==(const LoopExecutor& other) const noexcept { return loop_ == other.loop_; }

private:
    Loop* loop_;
    bool tracked_;
};

struct Waiting {
    awaitable<void> run() {
        try {
            value = co_await handoff<int>([this](Promise<int> given) { promise.emplace(std::move(given)); });
        } catch (const boost::system::system_error& thrown) {
            error = thrown.code();
        }
        ended = true;
    }
    void start() {
        asio::co_spawn(asio::any_io_executor(LoopExecutor(loop)), run(),
                       asio::bind_cancellation_slot(signal.slot(), [](const std::exception_ptr&) {}));
        loop.run();
    }

    Loop loop;
    asio::cancellation_signal signal;
    std::optional<Promise<int>> promise;
    int value = 0;
    boost::system::error_code error;
    bool ended = false;
};

// A worker that has posted its result and stays inside post() until the test releases it.
class HeldWorker {
public:
    explicit HeldWorker(Waiting& waiting) {
        waiting.start();
        waiting.loop.inside_next_post = [this] {
            posted_.set_value();
            released_.get_future().wait();
            has_left = true;
        };
        thread_ = std::jthread([promise = std::move(waiting.promise.value())]() mutable { promise.set_value(7); });
        posted_.get_future().wait();
    }
    void release() { released_.set_value(); }
    bool has_left = false;

private:
    std::promise<void> posted_;
    std::promise<void> released_;
    std::jthread thread_;
};

TEST(Handoff, AWorkerThatHasNotLeftThePostHoldsNobodyUp) {
    // Regression: low-priority hashing threads got no core to leave post(), because the serving threads kept all cores
    // busy polling whether they had left.
    Waiting waiting;
    HeldWorker worker(waiting);
    waiting.loop.run();
    EXPECT_TRUE(waiting.loop.queue.empty()) << "it is asked for repeatedly";
    EXPECT_TRUE(waiting.ended);
    EXPECT_EQ(waiting.value, 7);
    worker.release();
}

TEST(Handoff, TheContextDoesNotEndBeforeTheWorkerHasLeftThePost) {
    // Regression: a server that stopped with its last response destroyed its io_context while the pool's thread, still
    // returning from post(), released its work guard.
    Waiting waiting;
    HeldWorker worker(waiting);
    waiting.loop.run();
    asio::use_service<AtTheEnd>(waiting.loop).work = [&] { worker.release(); };
    waiting.loop.end();
    EXPECT_TRUE(worker.has_left);
    EXPECT_TRUE(waiting.ended);
    EXPECT_EQ(waiting.loop.work, 0);
}

TEST(Handoff, APromiseOfACanceledWaitLeavesTheContextAlone) {
    Waiting waiting;
    waiting.start();
    waiting.signal.emit(asio::cancellation_type::terminal);
    waiting.loop.run();
    EXPECT_TRUE(waiting.ended);
    EXPECT_EQ(waiting.error, asio::error::operation_aborted);
    EXPECT_EQ(waiting.loop.work, 0) << "the context may end";
    const int posts = waiting.loop.posts;
    waiting.promise->set_value(7);
    EXPECT_EQ(waiting.loop.posts, posts);
}

TEST(Handoff, ACancellationBeforeTheValueArrivesTakesEffect) {
    Waiting waiting;
    waiting.start();
    waiting.signal.emit(asio::cancellation_type::terminal);
    waiting.promise->set_value(7);
    waiting.loop.run();
    EXPECT_TRUE(waiting.ended);
    EXPECT_EQ(waiting.error, asio::error::operation_aborted);
    EXPECT_EQ(waiting.loop.work, 0);
}

}  // namespace
}  // namespace consentry
