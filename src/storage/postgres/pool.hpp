// The connections of one I/O thread. Chooses a connection for each job, and batches the look-ups of many callers into
// one statement.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>

#include "base/worker_pool.hpp"
#include "storage/postgres/channel.hpp"

namespace consentry::storage::postgres {

class Pool : public std::enable_shared_from_this<Pool> {
public:
    static std::shared_ptr<Pool> make(const asio::any_io_executor& executor,
                                      std::shared_ptr<const PostgresOptions> options, std::shared_ptr<Health> health,
                                      WorkerPool& connectors);

    // Takes over an open connection.
    void adopt(std::unique_ptr<Connection> connection) { channels_.front()->adopt(std::move(connection)); }

    // Both answer with Unavailable if too many jobs are already waiting.
    void submit(std::vector<WireStatement> statements, bool writes, std::move_only_function<void(Answer)> done);
    // The handler is called once, on this thread, never from inside this call. A caller that cancels takes the handler
    // out first.
    using Found = asio::any_completion_handler<void(std::exception_ptr, Rows)>;
    // Without a key, `sql` has no parameter and all callers get the same rows.
    void look_up(std::string_view sql, std::optional<Uuid> key, std::shared_ptr<Found> waiting);

private:
    struct Asked {
        std::optional<Uuid> key;
        std::shared_ptr<Found> waiting;
        std::chrono::steady_clock::time_point deadline;
    };
    // The look-ups of one statement. Only one message is under way at a time; look-ups that arrive meanwhile go with
    // the next one, unless their time is up by then. A busy service thus sends few large messages, and an idle one
    // sends each look-up at once.
    struct LookUps {
        std::string sql;                 // for one key
        std::string text;                // for many
        std::deque<Asked> waiting = {};  // by their deadlines
        bool under_way = false;
    };

    Pool(std::shared_ptr<const PostgresOptions> options, std::shared_ptr<Health> health)
        : options_(std::move(options)), health_(std::move(health)) {}
    Job make_job(std::vector<WireStatement> statements, bool writes, std::move_only_function<void(Answer)> done) const;
    Channel& least_loaded();
    void ask(LookUps& look_ups);
    void refuse_late_ones(LookUps& look_ups);
    void send(LookUps& look_ups, const std::shared_ptr<std::vector<Asked>>& asked);
    static void deliver(const std::vector<Asked>& asked, Answer answered);

    const std::shared_ptr<const PostgresOptions> options_;
    const std::shared_ptr<Health> health_;
    std::vector<std::shared_ptr<Channel>> channels_;  // the first one is for look-ups once another is open
    std::vector<std::unique_ptr<LookUps>> look_ups_;  // few: one for each look-up statement of the program
};

}  // namespace consentry::storage::postgres
