#include "base/worker_pool.hpp"

#include <algorithm>
#include <chrono>
#include <ranges>

#include <pthread.h>

#include "base/thread_priority.hpp"

namespace consentry {
namespace {

constexpr std::size_t places_per_place_left = 8;

// Time slices of threads with a nice value: a guest's thread replaces another one of its pool at once, and requests
// replace both.
constexpr std::chrono::milliseconds slice{100};  // the longest that Linux accepts
constexpr std::chrono::milliseconds guest_slice{10};

}  // namespace

WorkerPool::WorkerPool(Options options)
    : options_(std::move(options)), busy_(options_.threads + (options_.guest_nice ? 1 : 0)) {
    for (std::size_t i = 0; i < busy_.size(); ++i) threads_.emplace_back([this, i] { work(i); });
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    ready_.notify_all();
    guest_ready_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void WorkerPool::reserve(ClientNetwork network) {
    const std::lock_guard lock(mutex_);
    const std::size_t accepted = accepted_.load(std::memory_order_relaxed);
    const std::size_t left = capacity() - accepted;
    Lane& lane = lanes_[network];
    const bool is_client = network.version != 0;
    if (left == 0 || (is_client && lane.places >= places_per_place_left * left)) {
        if (lane.places == 0) lanes_.erase(network);
        refused_.fetch_add(1, std::memory_order_relaxed);
        const auto wait_us = average_us_.load(std::memory_order_relaxed) * static_cast<std::int64_t>(accepted) /
                             static_cast<std::int64_t>(options_.threads);
        throw Unavailable(options_.name + ": queue full", std::max<std::int64_t>(1, (wait_us + 999'999) / 1'000'000));
    }
    ++lane.places;
    accepted_.store(accepted + 1, std::memory_order_relaxed);
}

void WorkerPool::release(ClientNetwork network) {
    const std::lock_guard lock(mutex_);
    const auto lane = lanes_.find(network);
    if (--lane->second.places == 0) lanes_.erase(lane);
    accepted_.fetch_sub(1, std::memory_order_relaxed);
}

void WorkerPool::enqueue(ClientNetwork network, Task task) {
    bool is_busy = false;
    bool has_guest = false;
    {
        const std::lock_guard lock(mutex_);
        auto& waiting = lanes_[network].waiting;
        const bool is_first = waiting.empty();
        waiting.push_back(std::move(task));
        if (is_first) {
            try {
                turns_.push_back(network);
            } catch (...) {  // out of memory: a turn without a task, or a task without a turn, must not remain
                waiting.pop_back();
                throw;
            }
        }
        is_busy = all_busy();
        has_guest = is_busy && is_guest(network);
    }
    // If all threads are busy, the next one that completes a task looks for another one by itself.
    if (!is_busy) ready_.notify_one();
    if (has_guest) guest_ready_.notify_one();
}

bool WorkerPool::is_guest(ClientNetwork network) const {
    return options_.guest_nice && network.version != 0 && std::ranges::find(busy_, network) == busy_.end();
}

bool WorkerPool::all_busy() const {
    return std::ranges::all_of(busy_ | std::views::take(options_.threads),
                               [](const auto& network) { return network.has_value(); });
}

std::deque<ClientNetwork>::const_iterator WorkerPool::next_turn(std::size_t thread) const {
    if (!is_guest_thread(thread)) return turns_.begin();
    if (!all_busy()) return turns_.end();
    return std::ranges::find_if(turns_, [this](ClientNetwork network) { return is_guest(network); });
}

void WorkerPool::work(std::size_t thread) {
    pthread_setname_np(pthread_self(), options_.name.substr(0, 15).c_str());
    const int nice = is_guest_thread(thread) ? *options_.guest_nice : options_.nice;
    if (nice > 0) lower_thread_priority(nice, is_guest_thread(thread) ? guest_slice : slice);
    if (options_.begin) options_.begin();
    std::condition_variable& ready = is_guest_thread(thread) ? guest_ready_ : ready_;
    for (bool is_rested = true;;) {
        Task task;
        {
            std::unique_lock lock(mutex_);
            busy_[thread].reset();
            if (!is_rested && next_turn(thread) == turns_.end() && options_.idle) {
                lock.unlock();
                options_.idle();
                lock.lock();
            }
            ready.wait(lock, [&] { return stopping_ || next_turn(thread) != turns_.end(); });
            if (next_turn(thread) == turns_.end()) return;
            const auto turn = next_turn(thread);
            const ClientNetwork network = *turn;
            turns_.erase(turn);
            busy_[thread] = network;
            auto& waiting = lanes_[network].waiting;
            task = std::move(waiting.front());
            waiting.pop_front();
            if (!waiting.empty()) turns_.push_back(network);
            // If this thread was the last free one, a network that waits may be a guest.
            if (options_.guest_nice && next_turn(options_.threads) != turns_.end()) guest_ready_.notify_one();
        }
        const auto begin = std::chrono::steady_clock::now();
        task();
        is_rested = false;
        const auto took =
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
        average_us_.store((average_us_.load(std::memory_order_relaxed) * 7 + took.count()) / 8,
                          std::memory_order_relaxed);
    }
}

}  // namespace consentry
