// Hands work from a coroutine on an I/O thread to another thread and returns the result: the only bridge between the
// two.
//
//    const Rows rows = co_await handoff<Rows>([&](Promise<Rows> promise) { writer.enqueue(..., std::move(promise));
//    });
//
// `start` runs immediately on the calling thread and passes the promise on. The coroutine resumes on its own executor
// after set_value() or set_exception(), which may be called once, from any thread. Destroying the promise without
// calling either fails the wait with std::future_error (broken_promise), or with the exception that `start` threw. If
// the coroutine is canceled (request deadline), the wait fails with boost::system::system_error(operation_aborted); a
// later set_value() is ignored, even if the executor's context has been destroyed by then. The work itself is not
// undone.
#pragma once

#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace consentry {

namespace asio = boost::asio;
using asio::awaitable;

namespace detail {

// Counts the workers currently inside a post() to one context. A coroutine that waited for a worker may destroy the
// context as soon as the wait is over, while the worker may be preempted before it has returned from post(). The
// context's destructor therefore waits for the worker; threads that run the context never do.
class Posts : public asio::execution_context::service {
public:
    using Count = std::atomic<int>;
    static inline asio::execution_context::id id;
    explicit Posts(asio::execution_context& context) : service(context) {}

    // Outlives the context, because the last worker still has to notify the waiting destructor.
    const std::shared_ptr<Count>& under_way() const { return under_way_; }

    class Scope {
    public:
        explicit Scope(std::shared_ptr<Count> count) : count_(std::move(count)) { count_->fetch_add(1); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope() {
            if (count_->fetch_sub(1) == 1) count_->notify_all();
        }

    private:
        std::shared_ptr<Count> count_;
    };

private:
    // Runs before any service of the context is destroyed.
    void shutdown() override {
        for (int count = under_way_->load(); count != 0; count = under_way_->load()) under_way_->wait(count);
    }

    const std::shared_ptr<Count> under_way_ = std::make_shared<Count>(0);
};

// Shared by two threads, never concurrently. The worker owns `value` and `error` until it posts. The executor's thread
// owns `handler` and `executor`, except that the worker uses the executor once, after it has set `way` to `posted` and
// before the posted function runs. The worker holds no reference to the state afterwards.
template <class T>
struct HandoffState {
    using Handler = asio::any_completion_handler<void(std::exception_ptr, std::optional<T>)>;
    enum class Way { open, posted, abandoned };
    Handler handler;
    // Empty once the context may end: nothing of an executor outlives its context.
    std::optional<asio::executor_work_guard<asio::any_io_executor>> executor;
    std::optional<T> value;
    std::exception_ptr error;
    std::atomic<Way> way{Way::open};
    const std::shared_ptr<Posts::Count> posts;

    explicit HandoffState(const asio::any_io_executor& ex)
        : executor(ex), posts(asio::use_service<Posts>(asio::query(ex, asio::execution::context)).under_way()) {}
    // Called once, by the worker.
    static void post(std::shared_ptr<HandoffState> self) {
        const Posts::Scope inside(self->posts);
        Way open = Way::open;
        // Already refused: the coroutine no longer waits, and the context may be gone.
        if (!self->way.compare_exchange_strong(open, Way::posted)) return;
        const asio::any_io_executor to = self->executor->get_executor();
        asio::post(to, [self = std::move(self)] { self->complete(); });
    }
    // Runs on the executor's thread, as do all functions below.
    void complete() {
        executor.reset();
        if (!handler) return;  // already canceled
        Handler waiting = std::move(handler);
        handler = nullptr;
        std::move(waiting)(std::move(error), std::move(value));
    }
    void cancel() {
        if (!handler) return;
        // Posted, because the coroutine must not resume inside its own cancellation.
        asio::post(executor->get_executor(), [late = std::move(handler)]() mutable {
            std::move(late)(std::make_exception_ptr(boost::system::system_error(asio::error::operation_aborted)),
                            std::optional<T>{});
        });
        handler = nullptr;
        Way open = Way::open;
        if (way.compare_exchange_strong(open, Way::abandoned)) executor.reset();
    }
};

}  // namespace detail

template <class T>
class Promise {
public:
    using State = detail::HandoffState<T>;
    explicit Promise(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Promise(Promise&&) noexcept = default;
    Promise& operator=(Promise&&) = delete;
    Promise(const Promise&) = delete;
    ~Promise() {
        if (state_) set_exception(std::make_exception_ptr(std::future_error(std::future_errc::broken_promise)));
    }

    void set_value(T value) {
        state_->value = std::move(value);
        State::post(std::exchange(state_, nullptr));
    }
    void set_exception(std::exception_ptr error) {
        state_->error = std::move(error);
        State::post(std::exchange(state_, nullptr));
    }

private:
    std::shared_ptr<State> state_;
};

template <class T, class Start>
awaitable<T> handoff(Start start) {
    // The initiation must not outlive `start` in this frame; it runs before the first suspension.
    std::optional<T> value =
        co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr, std::optional<T>)>(
            [](auto handler, Start* go) {
                auto executor = asio::get_associated_executor(handler);
                auto slot = asio::get_associated_cancellation_slot(handler);
                auto state = std::make_shared<detail::HandoffState<T>>(executor);
                // Uses swap() because any_completion_handler's move assignment recurses endlessly (Boost 1.81).
                typename detail::HandoffState<T>::Handler(std::move(handler)).swap(state->handler);
                if (slot.is_connected()) {
                    slot.assign([weak = std::weak_ptr(state)](asio::cancellation_type) {
                        if (const auto canceled = weak.lock()) canceled->cancel();
                    });
                }
                try {
                    (*go)(Promise<T>{state});
                } catch (...) {
                    // The promise has been destroyed, which completes the wait; replace the error already posted with
                    // this one.
                    state->error = std::current_exception();
                }
            },
            asio::use_awaitable, &start);
    co_return std::move(*value);
}

}  // namespace consentry
