// One connection shared by many callers: jobs are sent as they arrive and answered in order (pipeline mode).
//
// Belongs to one io_context; only that context's thread uses it. Keeps the context busy only while a job is under way.
// Each job is one implicit transaction of the server, ended by a Sync. The answer is delivered when the result of the
// Sync arrives, because only then is the transaction committed.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/worker_pool.hpp"
#include "storage/postgres/connection.hpp"
#include "storage/postgres/health.hpp"
#include "storage/postgres/job.hpp"
#include "storage/postgres/statements.hpp"
#include "storage/postgres/values.hpp"

namespace consentry::storage::postgres {

namespace asio = boost::asio;

class Channel : public std::enable_shared_from_this<Channel> {
public:
    // `connectors` opens connections, which blocks. It must outlive every submit().
    Channel(asio::any_io_executor executor, std::shared_ptr<const PostgresOptions> options,
            std::shared_ptr<Health> health, WorkerPool& connectors);

    // Connects first if necessary. Calls job.done exactly once, possibly from inside this call.
    void submit(Job job);
    // Takes over an open connection; the channel must have none.
    void adopt(std::unique_ptr<Connection> connection);
    bool is_open() const { return connection_ != nullptr; }
    const asio::any_io_executor& executor() const { return executor_; }
    std::size_t load() const { return waiting_.size() + in_flight_.size(); }
    // Drops the connection because the server is silent on another one, and will be on this one too.
    void give_up(const std::string& why);

    std::function<void(const std::string& why)> on_silence;  // no answer within a job's timeout

private:
    using Steady = std::chrono::steady_clock;
    // The source of the next results.
    struct Slot {
        enum class Kind { prepare, prepare_end, execute, end } kind;
        std::size_t statement = 0;                   // of the first job in flight
        PreparedStatements::Entry* entry = nullptr;  // being prepared
    };

    // Returns false if no attempt to connect is under way now: the server is down, or memory ran out.
    bool begin_connecting();
    class Attempt;
    asio::awaitable<void> connect(Attempt attempt);
    void send_waiting();
    bool send(const Job& job);
    PreparedStatements::Entry& entry_of(const WireStatement& statement, const Encoded& encoded);
    bool prepare(const WireStatement& statement, const Encoded& encoded, std::size_t index);
    bool send(const WireStatement& statement, const Encoded& encoded);
    void flush();
    void read_on();
    void on_readable();
    void take(Result result);
    void finish_front();
    void answer(Job job);
    void lose(const std::string& why, bool silent);
    void refuse_waiting(const std::string& why);
    void watch();
    void on_deadline();
    void end_late_ones(Steady::time_point now);
    // When the server counts as silent if it sends nothing until then. Something must be in flight.
    Steady::time_point silence_at() const;

    const asio::any_io_executor executor_;
    const std::shared_ptr<const PostgresOptions> options_;
    const std::shared_ptr<Health> health_;
    WorkerPool* const connectors_;
    std::unique_ptr<Connection> connection_;
    std::optional<asio::posix::stream_descriptor> socket_;  // a descriptor of its own of the connection's socket
    asio::steady_timer timer_;
    PreparedStatements statements_;
    std::deque<Job> waiting_;    // not sent
    std::deque<Job> in_flight_;  // in the order of their answers
    std::deque<Slot> slots_;
    Steady::time_point heard_at_;  // when the server last sent something
    bool connecting_ = false;
    // Each becomes true once the wait has begun, for which there may be no memory.
    bool reading_ = false;
    bool writing_ = false;
    bool watching_ = false;
};

}  // namespace consentry::storage::postgres
