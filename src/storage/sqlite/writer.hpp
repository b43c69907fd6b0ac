// The only thread that writes. It gathers the waiting transactions into one transaction of the file, each in its own
// savepoint, and answers once the commit is on disk (group commit).
//
// After a failed write or sync the connection can no longer be trusted. Every caller in the group gets Unavailable, the
// connection closes, and writes are refused until a new connection has emptied the write-ahead log into the database
// and written successfully. A failed sync is never retried and then acknowledged: the kernel may have dropped the pages
// it could not write and report success the second time. If the commit itself failed, its frames may be in the log,
// where the next start would find them; the callers then get OutcomeUnknown.
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
    std::string violation;  // if a unique constraint was violated: which one
};

struct WriterOptions {
    ConnectionOptions connection;
    std::size_t queue_max;
    std::chrono::milliseconds reopen_interval;
};

class Writer {
public:
    // Throws SqliteError if the file cannot be opened for writing.
    explicit Writer(WriterOptions options);
    ~Writer();  // completes the accepted writes
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Throws Unavailable. An empty transaction tests whether the database is writable.
    awaitable<Verdict> submit(Transaction transaction);

    bool healthy() const { return healthy_.load(std::memory_order_acquire); }

private:
    struct Job {
        Transaction transaction;
        Promise<Verdict> promise;
    };
    // The fate of a job, decided before the commit and reported after it.
    struct Decision {
        Verdict verdict;
        std::string failure;  // not empty: only this job failed, and not by an expectation or unique constraint
    };

    void enqueue(Job job);
    bool gather(std::vector<Job>& group);
    void work();
    void process(std::vector<Job>& group);
    Decision decide(const Transaction& transaction);
    void open_if_due();
    void expect_new_log();
    void checkpoint_if_due();
    void give_up(const SqliteError& error) noexcept;

    const WriterOptions options_;

    // Used only by the writer thread.
    std::unique_ptr<Connection> connection_;
    std::string failure_;  // why there is no connection
    std::chrono::steady_clock::time_point reopen_at_;
    int checkpoint_at_frames_ = 0;
    int checkpoint_patience_ = 1;  // in waits
    int frames_before_ = 0;

    std::atomic<bool> healthy_{true};
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Job> queue_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace consentry::storage::sqlite
