// From a coroutine on an I/O thread to work on another thread and back: the only bridge between the two.
//
//     const Rows rows = co_await handoff<Rows>([&](Promise<Rows> promise) { writer.enqueue(..., std::move(promise));
//     });
//
// `start` runs at once on the calling thread and gives the promise to whoever will keep it. The coroutine goes
// on, on its own executor, after set_value() or set_exception(), which any thread may call, once. A promise
// dropped without either ends the wait with std::future_error's broken_promise, and with what `start` threw where it
// did. When the coroutine is cancelled (the request's deadline), the wait ends with
// boost::system::system_error(operation_aborted) and a later set_value() goes nowhere, even where the executor's
// context has ended by then; the work itself is not undone.
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
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace consentry {

namespace asio = boost::asio;
using asio::awaitable;

namespace detail {

// Touched by two threads, never at once: `value` and `error` belong to the worker until it posts, `handler` and
// `executor` belong to the executor's thread always, but for the worker's one use of the executor while `way` is
// `posting`. Whoever waited may end the executor's context as soon as the wait is over, so the wait does not end before
// the worker has left it: the worker holds neither the executor nor a work guard of it afterwards.
template <class T>
struct HandoffState : std::enable_shared_from_this<HandoffState<T>> {
    using Handler = asio::any_completion_handler<void(std::exception_ptr, std::optional<T>)>;
    enum class Way { open, posting, posted, abandoned };
    Handler handler;
    asio::executor_work_guard<asio::any_io_executor> executor;
    std::optional<T> value;
    std::exception_ptr error;
    std::atomic<Way> way{Way::open};

    explicit HandoffState(const asio::any_io_executor& ex) : executor(ex) {}
    // By the worker, once.
    void post() {
        Way open = Way::open;
        if (!way.compare_exchange_strong(open, Way::posting)) return;  // nobody waits, and the context may be gone
        asio::post(executor.get_executor(), [self = this->shared_from_this()] { self->complete(); });
        way.store(Way::posted);
    }
    // On the executor's thread, as all below.
    void complete() {
        if (way.load() != Way::posted) {
            // The worker is still inside of post(). Not waited for: it may have lost its core to somebody else.
            asio::post(executor.get_executor(), [self = this->shared_from_this()] { self->complete(); });
            return;
        }
        executor.reset();
        if (!handler) return;  // cancelled before
        Handler waiting = std::move(handler);
        handler = nullptr;
        std::move(waiting)(std::move(error), std::move(value));
    }
    void cancel() {
        if (!handler) return;
        // Posted: the coroutine must not be resumed from inside its own cancellation.
        asio::post(executor.get_executor(), [late = std::move(handler)]() mutable {
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
        std::exchange(state_, nullptr)->post();
    }
    void set_exception(std::exception_ptr error) {
        state_->error = std::move(error);
        std::exchange(state_, nullptr)->post();
    }

private:
    std::shared_ptr<State> state_;
};

template <class T, class Start>
awaitable<T> handoff(Start start) {
    // The initiation must not outlive this frame's `start`: it runs before the first suspension.
    std::optional<T> value =
        co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr, std::optional<T>)>(
            [](auto handler, Start* go) {
                auto executor = asio::get_associated_executor(handler);
                auto slot = asio::get_associated_cancellation_slot(handler);
                auto state = std::make_shared<detail::HandoffState<T>>(executor);
                // Not by assignment: any_completion_handler's calls itself without end (Boost 1.81).
                typename detail::HandoffState<T>::Handler(std::move(handler)).swap(state->handler);
                if (slot.is_connected()) {
                    slot.assign([weak = std::weak_ptr(state)](asio::cancellation_type) {
                        if (const auto cancelled = weak.lock()) cancelled->cancel();
                    });
                }
                try {
                    (*go)(Promise<T>{state});
                } catch (...) {
                    // The promise is gone, and with it the wait: what is posted already tells this instead.
                    state->error = std::current_exception();
                }
            },
            asio::use_awaitable, &start);
    co_return std::move(*value);
}

}  // namespace consentry
