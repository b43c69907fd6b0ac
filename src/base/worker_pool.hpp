// A bounded thread pool for work that would block an I/O thread (password hashes, P-521 signatures).
//
// When the queue is full, run() throws Unavailable immediately, with an estimate of the wait; the queue never grows
// without bound (PWD-8). The threads run at their own nice value so that cheap requests take precedence.
//
// Tasks of different client networks are scheduled round robin: with n networks waiting, the first task of another
// network waits for at most n others, regardless of how many tasks each has queued. No network can fill the queue,
// because a network's share shrinks with the room that is left: one network leaves a ninth of the places free, two
// leave a seventeenth. A pool can also have a thread for guests: while others have all threads, a network that has none
// finds that one free.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/client_network.hpp"
#include "base/error.hpp"
#include "base/handoff.hpp"

namespace consentry {

class WorkerPool {
public:
    struct Options {
        std::string name;  // of the threads; at most 15 characters (Linux limit)
        std::size_t threads = 1;
        std::size_t queue_max = 64;  // waiting tasks, in addition to the running ones
        int nice = 0;                // 0..19
        // One more thread, at this nice value, for guests: it runs a task of a client network only if that network has
        // no other task running and all other threads are busy.
        std::optional<int> guest_nice = {};
        // Both run on each thread of the pool and throw nothing: `begin` before its first task; `idle` after a task if
        // it has no other to run, for example to wipe what the thread keeps from one task to the next.
        std::function<void()> begin = {};
        std::function<void()> idle = {};
    };
    explicit WorkerPool(Options options);
    ~WorkerPool();  // completes all accepted tasks
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // A reserved place in the queue, for callers that must know before they begin that their task will be accepted.
    // Released by the destructor, or when the task run in it completes.
    class Place {
    public:
        Place(Place&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), network_(other.network_) {}
        Place& operator=(Place&&) = delete;
        ~Place() {
            if (pool_ != nullptr) pool_->release(network_);
        }

    private:
        friend class WorkerPool;
        Place(WorkerPool& pool, ClientNetwork network) : pool_(&pool), network_(network) {}
        WorkerPool* pool_;
        ClientNetwork network_;
    };
    // Throws Unavailable if the queue is full, or too full for another task of this network. Tasks of the service
    // itself have no network and may fill the queue.
    Place place(ClientNetwork network = {}) {
        reserve(network);
        return Place{*this, network};
    }

    // Runs `work` on a pool thread and returns its result; rethrows its exception. Throws Unavailable if the queue is
    // full.
    template <class Work, class T = std::invoke_result_t<Work&>>
    awaitable<T> run(Work work, ClientNetwork network = {}) {
        Place taken = place(network);
        co_return co_await run(std::move(taken), std::move(work));
    }
    // The same in a previously reserved place of this pool: never refused.
    template <class Work, class T = std::invoke_result_t<Work&>>
    awaitable<T> run(Place place, Work work) {
        co_return co_await handoff<T>([&](Promise<T> promise) {
            const ClientNetwork network = place.network_;
            enqueue(network,
                    [place = std::move(place), work = std::move(work), promise = std::move(promise)]() mutable {
                        std::optional<T> value;
                        std::exception_ptr error;
                        try {
                            value.emplace(work());
                        } catch (...) {
                            error = std::current_exception();
                        }
                        // Release the place before the result is delivered, so that the caller finds it free.
                        {
                            const Place given_back = std::move(place);
                        }
                        if (value)
                            promise.set_value(std::move(*value));
                        else
                            promise.set_exception(std::move(error));
                    });
        });
    }

    std::size_t waiting() const { return accepted_.load(std::memory_order_relaxed); }
    std::size_t capacity() const { return options_.threads + options_.queue_max; }
    std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

private:
    using Task = std::move_only_function<void()>;
    // Bookkeeping for one network.
    struct Lane {
        std::size_t places = 0;  // waiting or running
        std::deque<Task> waiting;
    };
    void reserve(ClientNetwork network);  // throws Unavailable
    void release(ClientNetwork network);
    void enqueue(ClientNetwork network, Task task);
    void work(std::size_t thread);
    bool all_busy() const;                       // but the guests' thread
    bool is_guest(ClientNetwork network) const;  // whether the guests' thread may run its tasks
    bool is_guest_thread(std::size_t thread) const { return thread == options_.threads; }
    // The network in turns_ whose task this thread runs next; the end if there is none for it.
    std::deque<ClientNetwork>::const_iterator next_turn(std::size_t thread) const;

    Options options_;
    std::atomic<std::size_t> accepted_{0};     // waiting or running
    std::atomic<std::int64_t> average_us_{0};  // moving average duration of a task
    std::atomic<std::uint64_t> refused_{0};
    std::mutex mutex_;
    std::condition_variable ready_;  // for all threads but the guests'
    std::condition_variable guest_ready_;
    std::unordered_map<ClientNetwork, Lane> lanes_;   // networks that hold a place
    std::deque<ClientNetwork> turns_;                 // networks with waiting tasks, each once, next one first
    std::vector<std::optional<ClientNetwork>> busy_;  // by thread, the guests' last: the network of its task
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace consentry
