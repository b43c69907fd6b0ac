// The one thread that writes. It gathers what waits into one transaction of the file, each caller's statements in
// a savepoint of their own, and answers when the commit is on disk (group commit).
//
// After a failed write or sync nothing on this connection is trusted any more: everybody in the group gets
// Unavailable, the connection is closed, and writes are refused until a new connection has emptied the write-ahead
// log into the database and written something itself. A failed sync is never tried again and then acknowledged:
// the kernel may have dropped what it could not write, and report success the second time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/handoff.hpp"
#include "storage/sqlite/connection.hpp"

namespace consentry::storage::sqlite {

struct Verdict {
    Outcome outcome;
    std::string violation;  // where a unique constraint did not hold: which one
};

struct WriterOptions {
    ConnectionOptions connection;
    std::size_t queue_max;
    std::chrono::milliseconds reopen_interval;
};

class Writer {
public:
    // Throws SqliteError where the file cannot be opened for writing.
    explicit Writer(WriterOptions options);
    ~Writer();  // finishes what was accepted
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Throws Unavailable. An empty transaction asks whether writing is possible.
    awaitable<Verdict> submit(Transaction transaction);

    bool healthy() const { return healthy_.load(std::memory_order_acquire); }

private:
    struct Job {
        Transaction transaction;
        Promise<Verdict> promise;
    };
    // What becomes of a job, known before the commit, told after it.
    struct Decision {
        Verdict verdict;
        std::string failure;  // not empty: only this job failed, and not by a rule of its own
    };

    void enqueue(Job job);
    bool gather(std::vector<Job>& group);
    void work();
    void process(std::vector<Job>& group);
    Decision decide(const Transaction& transaction);
    void open_if_due();
    void checkpoint_if_due();
    void give_up(const SqliteError& error) noexcept;

    const WriterOptions options_;

    // Of the writer's thread only.
    std::unique_ptr<Connection> connection_;
    std::string failure_;  // why there is no connection
    std::chrono::steady_clock::time_point reopen_at_;
    int checkpoint_at_frames_;
    int frames_before_ = 0;

    std::atomic<bool> healthy_{true};
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Job> queue_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace consentry::storage::sqlite
