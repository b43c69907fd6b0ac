// A bounded pool of threads for work that would block an I/O thread (password hashes, P-521 signatures).
//
// Full means refused, at once: run() throws Unavailable with an estimate of the wait, never queues without end
// (PWD-8). The threads run at a nice value of their own, so that cheap requests pass them by.
//
// Where tasks are done for clients, their networks take turns: with n networks waiting, the first task of another one
// waits for n others at most, however many each of them has sent. And none of them can fill the queue, because each may
// take only so much more as there is room left: one network leaves a ninth of the places, two leave a seventeenth.
#pragma once

#include <atomic>
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
        std::string name;  // of the threads; 15 characters at most (Linux)
        std::size_t threads = 1;
        std::size_t queue_max = 64;  // waiting tasks beyond those being worked on
        int nice = 0;                // 0..19
    };
    explicit WorkerPool(Options options);
    ~WorkerPool();  // finishes what was accepted
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // A place in the queue, for whoever must know that there is one before they begin. Given back at its end, or when
    // what was run in it is done.
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
    // Throws Unavailable where the queue is full, or too full for more of this network. The service itself is none, and
    // may fill it.
    Place place(ClientNetwork network = {}) {
        reserve(network);
        return Place{*this, network};
    }

    // Runs `work` on a thread of the pool and returns what it returns; its exception goes through.
    // Throws Unavailable where the queue is full.
    template <class Work, class T = std::invoke_result_t<Work&>>
    awaitable<T> run(Work work, ClientNetwork network = {}) {
        Place taken = place(network);
        co_return co_await run(std::move(taken), std::move(work));
    }
    // The same in a place of this pool that was taken before: never refused.
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
                        // Before the answer: whoever has it finds the place free.
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
    // What one network has here.
    struct Lane {
        std::size_t places = 0;  // waiting or being worked on
        std::deque<Task> waiting;
    };
    void reserve(ClientNetwork network);  // throws Unavailable
    void release(ClientNetwork network);
    void enqueue(ClientNetwork network, Task task);
    void work();

    Options options_;
    std::atomic<std::size_t> accepted_{0};     // waiting or being worked on
    std::atomic<std::int64_t> average_us_{0};  // moving average of one task
    std::atomic<std::uint64_t> refused_{0};
    std::mutex mutex_;
    std::condition_variable ready_;
    std::unordered_map<ClientNetwork, Lane> lanes_;  // of those who have a place
    std::deque<ClientNetwork> turns_;                // of those who wait: each once, the next one first
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace consentry
