#include "storage/sqlite/writer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <pthread.h>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consentry::storage::sqlite {
namespace {

constexpr std::size_t group_max = 256;
// 4 MiB of log: copies its pages into the database.
constexpr int checkpoint_frames = 1000;
// Empties the log if it could not restart by itself because it always had readers.
constexpr int checkpoint_frames_urgent = 8 * checkpoint_frames;
// How long emptying waits for readers, while all writers wait for it.
constexpr std::chrono::milliseconds checkpoint_wait{100};
// Reads that take longer make it fail. Each failure doubles the next wait and the log written before it, so that
// writers never wait more than 100 ms per 4 MiB of log. They wait once for a reader that stays, such as a backup.
constexpr int checkpoint_patience_max = 8;

bool holds(Expect expect, std::int64_t affected) {
    switch (expect) {
        case Expect::any:
            return true;
        case Expect::one:
            return affected == 1;
        case Expect::at_least_one:
            return affected >= 1;
        case Expect::none:
            return affected == 0;
    }
    return false;
}

}  // namespace

Writer::Writer(WriterOptions options)
    : options_(std::move(options)), connection_(std::make_unique<Connection>(options_.connection)) {
    expect_new_log();
    // A previous process may have left frames in the log that never reached the disk (its last sync may have failed
    // before it died), and frames appended after them would be lost too. If another process has the file open, the log
    // is in use and stays as it is.
    connection_->empty_log(checkpoint_wait);
    thread_ = std::thread([this] { work(); });
}

Writer::~Writer() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    ready_.notify_one();
    thread_.join();
}

awaitable<Verdict> Writer::submit(Transaction transaction) {
    Verdict verdict = co_await handoff<Verdict>([&](Promise<Verdict> promise) {
        enqueue({.transaction = std::move(transaction), .promise = std::move(promise)});
    });
    co_return verdict;
}

void Writer::enqueue(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() < options_.queue_max) {
            queue_.push_back(std::move(job));
            if (queue_.size() == 1) ready_.notify_one();
            return;
        }
    }
    job.promise.set_exception(std::make_exception_ptr(Unavailable("sqlite: too many writes are waiting")));
}

bool Writer::gather(std::vector<Job>& group) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    while (!queue_.empty() && group.size() < group_max) {
        group.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    return !group.empty();
}

void Writer::work() {
    pthread_setname_np(pthread_self(), "sqlite-writer");
    std::vector<Job> group;
    while (gather(group)) {
        process(group);
        group.clear();
    }
}

void Writer::process(std::vector<Job>& group) {
    std::vector<Decision> decisions;
    std::string failure;
    bool is_committing = false;
    bool is_unknown = false;  // whether what was decided has taken effect
    try {
        open_if_due();
        if (connection_->file_has_moved())
            throw Unavailable(fmt::format("sqlite {}: deleted or replaced while in use; restart the service",
                                          options_.connection.file.string()));
        decisions.reserve(group.size());
        connection_->run("BEGIN IMMEDIATE");
        for (const Job& job : group) decisions.push_back(decide(job.transaction));
        is_committing = true;
        connection_->run("COMMIT");
    } catch (const SqliteError& error) {
        failure = error.what();
        is_unknown = is_committing && error.is_storage_failure();
        if (connection_) connection_->roll_back();
        if (error.is_storage_failure()) give_up(error);
    } catch (const std::exception& error) {
        failure = error.what();
        if (connection_) connection_->roll_back();
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
        const std::string& why = failure.empty() ? decisions[i].failure : failure;
        if (why.empty())
            group[i].promise.set_value(std::move(decisions[i].verdict));
        else if (is_unknown && decisions[i].verdict.outcome.committed)
            group[i].promise.set_exception(std::make_exception_ptr(OutcomeUnknown(why)));
        else
            group[i].promise.set_exception(std::make_exception_ptr(Unavailable(why)));
    }
    if (failure.empty()) checkpoint_if_due();  // after the answers, so that no caller in this group waits for it
}

Writer::Decision Writer::decide(const Transaction& transaction) {
    Decision out;
    Outcome& outcome = out.verdict.outcome;
    const auto undo = [this] {
        connection_->run("ROLLBACK TO caller");
        connection_->run("RELEASE caller");
    };
    connection_->run("SAVEPOINT caller");
    for (const Statement& statement : transaction.statements()) {
        outcome.failed_at = outcome.results.size();
        try {
            outcome.results.push_back(connection_->run(statement.sql, statement.params));
        } catch (const SqliteError& error) {
            if (error.ends_transaction() || !connection_->in_transaction()) throw;
            undo();
            if (error.is_unique_violation()) {
                out.verdict.violation = error.what();
                outcome.results.emplace_back();
            } else {
                out.failure = error.what();
            }
            return out;
        }
        if (!holds(statement.expect, outcome.results.back().affected())) {
            undo();
            return out;
        }
    }
    if (connection_->has_open_foreign_keys()) {
        undo();
        out.failure = fmt::format("sqlite {}: a deferred foreign key does not hold", options_.connection.file.string());
        return out;
    }
    connection_->run("RELEASE caller");
    outcome.failed_at = 0;
    outcome.committed = true;
    return out;
}

void Writer::open_if_due() {
    if (connection_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < reopen_at_) throw Unavailable(failure_);
    reopen_at_ = now + options_.reopen_interval;
    auto fresh = std::make_unique<Connection>(options_.connection);
    // Frames appended after frames whose sync failed would be lost with them.
    if (fresh->empty_log(checkpoint_wait) != Connection::LogEmptied::yes)
        throw Unavailable(failure_ + " (log still in use)");
    fresh->run("BEGIN IMMEDIATE");
    const Rows version = fresh->run("PRAGMA user_version");
    fresh->run(fmt::format("PRAGMA user_version = {}", version[0].integer(0)));  // writes page 1, changes nothing
    fresh->run("COMMIT");
    connection_ = std::move(fresh);
    frames_before_ = 0;
    expect_new_log();
    healthy_.store(true, std::memory_order_release);
}

void Writer::expect_new_log() {
    checkpoint_at_frames_ = checkpoint_frames;
    checkpoint_patience_ = 1;
}

void Writer::checkpoint_if_due() {
    const int frames = connection_->wal_frames();
    if (frames < frames_before_) expect_new_log();  // the log has restarted
    frames_before_ = frames;
    if (frames < checkpoint_at_frames_) return;
    try {
        if (frames < checkpoint_frames_urgent) {
            checkpoint_at_frames_ = frames + checkpoint_frames;
            connection_->copy_log();
            return;
        }
        if (connection_->empty_log(checkpoint_patience_ * checkpoint_wait) == Connection::LogEmptied::no_same_reader) {
            checkpoint_at_frames_ = frames + checkpoint_frames;
            return;
        }
        checkpoint_at_frames_ = frames + checkpoint_patience_ * checkpoint_frames;
        checkpoint_patience_ = std::min(2 * checkpoint_patience_, checkpoint_patience_max);
    } catch (const SqliteError& error) {
        give_up(error);
    }
}

void Writer::give_up(const SqliteError& error) noexcept {
    healthy_.store(false, std::memory_order_release);
    connection_.reset();
    reopen_at_ = std::chrono::steady_clock::now() + options_.reopen_interval;
    failure_ = error.what();
}

}  // namespace consentry::storage::sqlite
