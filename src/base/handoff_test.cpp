// A loop that runs nothing by itself, and, where it is told to, what another thread posts before that thread has left
// post(): the worst that a busy machine can do.
#include "base/handoff.hpp"

#include <deque>
#include <functional>
#include <optional>
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
    void run() {
        while (!queue.empty()) {
            const auto next = std::exchange(queue.front(), nullptr);
            queue.pop_front();
            next();
        }
    }
    std::deque<std::function<void()>> queue;
    bool at_once = false;  // run the next one inside of post()
    bool inside = false;   // of such a post()
    int work = 0;          // guards that hold it
    int posts = 0;
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
        if (std::exchange(loop_->at_once, false)) {
            loop_->inside = true;
            std::move (*shared)();
            loop_->inside = false;
        } else {
            loop_->queue.emplace_back([shared = std::move(shared)] { std::move (*shared)(); });
        }
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
        ended_inside = loop.inside;
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
    bool ended_inside = false;
};

TEST(Handoff, TheWaitDoesNotEndBeforeTheWorkerHasLeftThePost) {
    // Seen here: a server that stopped with its last answer destroyed its io_context while the pool's thread, still
    // behind post(), let go of the guard that it held of it.
    Waiting waiting;
    waiting.start();
    ASSERT_TRUE(waiting.promise);
    waiting.loop.at_once = true;
    waiting.promise->set_value(7);
    EXPECT_FALSE(waiting.ended_inside);
    waiting.loop.run();
    EXPECT_TRUE(waiting.ended);
    EXPECT_EQ(waiting.value, 7);
    EXPECT_EQ(waiting.loop.work, 0);
}

TEST(Handoff, APromiseOfACancelledWaitLeavesTheContextAlone) {
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

TEST(Handoff, ACancellationBeforeTheValueArrivesIsHeeded) {
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
