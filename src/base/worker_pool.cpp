#include "base/worker_pool.hpp"

#include <algorithm>
#include <chrono>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace consentry {
namespace {

constexpr std::size_t places_per_place_left = 8;

}  // namespace

WorkerPool::WorkerPool(Options options) : options_(std::move(options)), busy_(options_.threads) {
    for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this, i] { work(i); });
}

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    ready_.notify_all();
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
    {
        const std::lock_guard lock(mutex_);
        note_visit(network);
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
    }
    ready_.notify_one();
}

void WorkerPool::note_visit(ClientNetwork network) {
    if (network.version == 0) return;
    if (newest_.network != network) former_ = std::exchange(newest_, {.network = network, .last = {}});
    newest_.last = std::chrono::steady_clock::now();
}

bool WorkerPool::may_run(ClientNetwork network) const {
    if (network.version == 0 || stopping_) return true;
    const auto running = static_cast<std::size_t>(std::ranges::count(busy_, network));
    if (running + 1 < options_.threads || running == 0) return true;
    const Visit& other = newest_.network == network ? former_ : newest_;
    return other.network.version == 0 || other.last + options_.guest_memory < std::chrono::steady_clock::now();
}

std::deque<ClientNetwork>::const_iterator WorkerPool::next_turn() const {
    return std::ranges::find_if(turns_, [this](ClientNetwork network) { return may_run(network); });
}

void WorkerPool::work(std::size_t thread) {
    pthread_setname_np(pthread_self(), options_.name.substr(0, 15).c_str());
    // Linux keeps the nice value per thread. A failure is harmless (RLIMIT_NICE never forbids raising the value).
    if (options_.nice > 0) setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), options_.nice);
    if (options_.begin) options_.begin();
    for (bool is_rested = true;;) {
        Task task;
        {
            std::unique_lock lock(mutex_);
            busy_[thread].reset();
            if (!is_rested && next_turn() == turns_.end() && options_.idle) {
                lock.unlock();
                options_.idle();
                lock.lock();
            }
            ready_.wait(lock, [this] { return stopping_ || next_turn() != turns_.end(); });
            if (turns_.empty()) return;
            const auto turn = next_turn();
            const ClientNetwork network = *turn;
            turns_.erase(turn);
            busy_[thread] = network;
            auto& waiting = lanes_[network].waiting;
            task = std::move(waiting.front());
            waiting.pop_front();
            if (!waiting.empty()) turns_.push_back(network);
            // Perhaps a thread may be used that was kept free until now.
            if (!turns_.empty()) ready_.notify_one();
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
