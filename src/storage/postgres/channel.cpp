#include "storage/postgres/channel.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "crypto/random.hpp"

namespace consentry::storage::postgres {
namespace {

// Jobs are answered in order, so a job behind this many is late anyway. Further jobs wait unsent, where they can still
// be canceled.
constexpr std::size_t in_flight_max = 256;

// Between a fortieth and a twentieth of the timeout, within 100 ms. The server only wakes the transactions that wait
// for a lock. One that began again at once would take its locks before they run, and the deadlock would stand again.
// Random, so that two that lost to each other do not meet again.
std::chrono::milliseconds pause_before_repeat(std::chrono::milliseconds timeout) {
    const auto least = std::min(timeout / 40, std::chrono::milliseconds(50));
    return least + least * crypto::random_bytes(1).front() / 256;
}

bool is_answer(ExecStatusType status) { return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK; }

}  // namespace

Channel::Channel(asio::any_io_executor executor, std::shared_ptr<const PostgresOptions> options,
                 std::shared_ptr<Health> health, WorkerPool& connectors)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      health_(std::move(health)),
      connectors_(&connectors),
      timer_(executor_) {}

void Channel::submit(Job job) {
    // The server may have closed the idle connection. Detecting it now costs a reconnect; after sending, it costs a
    // lost answer.
    if (connection_ && in_flight_.empty() && connection_->is_stale()) lose("closed while idle", false);
    if (!connection_) {
        const bool waits = connecting_ ? health_->is_up() : begin_connecting();
        if (!waits) {
            job.done({.error = std::make_exception_ptr(Unavailable("postgres: unreachable"))});
            return;
        }
    }
    waiting_.push_back(std::move(job));
    if (connection_) send_waiting();
    watch();
}

void Channel::send_waiting() {
    while (in_flight_.size() < in_flight_max) {
        const auto next = std::ranges::find_if_not(waiting_, &Job::pauses);
        if (next == waiting_.end()) break;
        in_flight_.push_back(std::move(*next));
        waiting_.erase(next);
        bool is_sent = false;
        try {
            is_sent = send(in_flight_.back());
        } catch (const std::bad_alloc&) {  // part of it may be under way, and its results would be unknown
        }
        if (!is_sent) {
            lose(connection_->trouble(), false);
            return;
        }
    }
    flush();
    if (connection_) read_on();
}

bool Channel::send(const Job& job) {
    std::vector<Encoded> encoded;
    encoded.reserve(job.statements.size());
    for (const WireStatement& statement : job.statements)
        encoded.push_back(statement.keys.empty() ? Encoded(statement.params) : Encoded(statement.keys));
    // Each preparation has its own Sync, so that a failing statement does not skip one that later jobs rely on.
    if (options_->keeps_session_state)
        for (std::size_t i = 0; i < encoded.size(); ++i)
            if (!prepare(job.statements[i], encoded[i], i)) return false;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (!send(job.statements[i], encoded[i])) return false;
        slots_.push_back({.kind = Slot::Kind::execute, .statement = i});
    }
    slots_.push_back({.kind = Slot::Kind::end});
    return PQpipelineSync(connection_->raw()) == 1;
}

PreparedStatements::Entry& Channel::entry_of(const WireStatement& statement, const Encoded& encoded) {
    return statements_.find(statement.sql, statement.expect, encoded.types);
}

bool Channel::prepare(const WireStatement& statement, const Encoded& encoded, std::size_t index) {
    PreparedStatements::Entry& entry = entry_of(statement, encoded);
    if (entry.name.empty() || entry.prepared) return true;
    entry.prepared = true;
    slots_.push_back({.kind = Slot::Kind::prepare, .statement = index, .entry = &entry});
    slots_.push_back({.kind = Slot::Kind::prepare_end});
    return PQsendPrepare(connection_->raw(), entry.name.c_str(), entry.text.c_str(), encoded.count(),
                         encoded.types.data()) == 1 &&
           PQpipelineSync(connection_->raw()) == 1;
}

bool Channel::send(const WireStatement& statement, const Encoded& encoded) {
    const PreparedStatements::Entry& entry = entry_of(statement, encoded);
    if (!options_->keeps_session_state || entry.name.empty())
        return PQsendQueryParams(connection_->raw(), entry.text.c_str(), encoded.count(), encoded.types.data(),
                                 encoded.values.data(), encoded.lengths.data(), encoded.formats.data(), 1) == 1;
    return PQsendQueryPrepared(connection_->raw(), entry.name.c_str(), encoded.count(), encoded.values.data(),
                               encoded.lengths.data(), encoded.formats.data(), 1) == 1;
}

void Channel::flush() {
    const int left = PQflush(connection_->raw());
    if (left < 0) {
        lose(connection_->trouble(), false);
        return;
    }
    if (left == 0 || writing_) return;
    socket_->async_wait(asio::posix::stream_descriptor::wait_write,
                        [self = shared_from_this()](boost::system::error_code error) {
                            self->writing_ = false;
                            if (!error && self->connection_) self->flush();
                        });
    writing_ = true;
}

void Channel::read_on() {
    if (reading_ || in_flight_.empty()) return;
    socket_->async_wait(asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](boost::system::error_code error) {
                            self->reading_ = false;
                            if (!error && self->connection_) self->on_readable();
                        });
    reading_ = true;
}

void Channel::on_readable() {
    if (PQconsumeInput(connection_->raw()) != 1) {
        lose(connection_->trouble(), false);
        return;
    }
    heard_at_ = Steady::now();
    while (connection_ && !in_flight_.empty() && PQisBusy(connection_->raw()) == 0) {
        Result result(PQgetResult(connection_->raw()));
        if (PQstatus(connection_->raw()) != CONNECTION_OK) {
            lose(connection_->trouble(), false);
            return;
        }
        take(std::move(result));
    }
    if (!connection_) return;
    send_waiting();
    watch();
}

void Channel::take(Result result) {
    const Slot slot = slots_.front();
    if (!result) {  // the end of one statement's results
        if (slot.kind == Slot::Kind::execute || slot.kind == Slot::Kind::prepare) slots_.pop_front();
        return;
    }
    Job& job = in_flight_.front();
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_PIPELINE_SYNC) {
        slots_.pop_front();
        if (slot.kind == Slot::Kind::end) finish_front();
        return;
    }
    if (is_answer(status)) {
        if (slot.kind != Slot::Kind::execute) return;
        const WireStatement& statement = job.statements[slot.statement];
        try {
            job.results.push_back(decode(result.get(), statement.expect != Expect::any));
        } catch (...) {  // not as expected, or too large for the memory that is left
            job.unreadable = std::current_exception();
        }
        return;
    }
    if (status == PGRES_PIPELINE_ABORTED) return;  // an earlier statement has the error
    if (slot.entry != nullptr) slot.entry->prepared = false;
    if (job.error) return;
    const bool in_statement = slot.statement < job.statements.size();
    job.error.emplace(result.get(), in_statement ? std::string_view(job.statements[slot.statement].sql) : "");
    job.failed_at = slot.statement;
}

void Channel::finish_front() {
    Job job = std::move(in_flight_.front());
    in_flight_.pop_front();
    const bool goes_away = job.error && job.error->ends_connection();
    const std::string why = goes_away ? job.error->what() : "";
    // Of a deadlock, one transaction is rolled back, so that the others proceed. One transaction may lose many times in
    // a row; what bounds its repeats is time.
    const bool in_time = job.deadline - Steady::now() > options_->timeout / 4;
    if (job.error && job.error->may_be_repeated() && in_time) {
        job.begin_again();
        job.not_before = Steady::now() + pause_before_repeat(options_->timeout);
        waiting_.push_back(std::move(job));
        if (watching_) timer_.cancel();  // to watch for this job, too
    } else {
        answer(std::move(job));
    }
    if (goes_away && connection_) lose(why, false);
}

void Channel::answer(Job job) {
    Answer out;
    if (job.unreadable) {
        out.error = job.unreadable;
    } else if (!job.error) {
        out.outcome = {.committed = true, .results = std::move(job.results)};
        if (!health_->is_up()) health_->succeeded();  // even if other connections failed
        if (job.writes) health_->writes_fail.store(false, std::memory_order_relaxed);
    } else if (job.error->sqlstate() == expectation_failed && job.statements[job.failed_at].expect != Expect::any) {
        out.outcome.failed_at = job.failed_at;
    } else if (job.error->is_unique_violation()) {
        out.outcome.failed_at = job.failed_at;
        out.violation = job.error->what();
    } else {
        if (job.writes && job.error->refuses_writes()) health_->writes_fail.store(true);
        out.error = std::make_exception_ptr(Unavailable(job.error->what()));
    }
    job.done(std::move(out));
}

// One timer serves all jobs.
void Channel::watch() {
    if (load() == 0) {
        if (watching_) timer_.cancel();
        return;
    }
    if (watching_) return;
    Steady::time_point next = in_flight_.empty() ? Steady::time_point::max() : silence_at();
    for (const auto* jobs : {&in_flight_, &waiting_})
        for (const Job& job : *jobs)
            if (!job.is_over) next = std::min(next, job.deadline);
    for (const Job& job : waiting_)
        if (job.pauses()) next = std::min(next, job.not_before);
    timer_.expires_at(next);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code) {
        self->watching_ = false;
        self->on_deadline();
    });
    watching_ = true;
}

Channel::Steady::time_point Channel::silence_at() const {
    return std::max(in_flight_.front().deadline, heard_at_ + options_->timeout);
}

// The server works, but other jobs keep it from these, such as one that waits for a lock. Each ends alone: the
// connection answers those behind it, and the server limits the time of each statement.
void Channel::end_late_ones(Steady::time_point now) {
    std::vector<Job> late;
    for (Job& job : in_flight_) {
        if (job.is_over || job.deadline > now) continue;
        job.is_over = true;
        late.push_back({.statements = {}, .writes = job.writes, .done = std::exchange(job.done, [](const Answer&) {})});
    }
    const std::string text = fmt::format("postgres: no answer within {} ms", options_->timeout.count());
    for (Job& job : late)
        job.done({.error = job.writes ? std::make_exception_ptr(OutcomeUnknown(text))
                                      : std::make_exception_ptr(Unavailable(text))});
}

void Channel::on_deadline() {
    const auto now = Steady::now();
    std::vector<Job> unsent;
    std::erase_if(waiting_, [&](Job& job) {
        const bool is_late = job.deadline <= now;
        if (is_late) unsent.push_back(std::move(job));
        return is_late;
    });
    if (!unsent.empty() && connecting_) health_->failed();  // later jobs fail sooner
    for (Job& job : unsent)
        job.done({.error = std::make_exception_ptr(Unavailable("postgres: no connection in time"))});
    if (!in_flight_.empty() && silence_at() > now) end_late_ones(now);
    if (!in_flight_.empty() && silence_at() <= now && connection_) {
        health_->failed();
        const auto on_silence_now = on_silence;
        const std::string why = fmt::format("no response within {} ms", options_->timeout.count());
        lose(why, true);
        if (on_silence_now) on_silence_now(why);
    }
    if (connection_) send_waiting();  // what had to pause
    watch();
}

}  // namespace consentry::storage::postgres
