// The engine of the database port for several processes: a PostgreSQL server, version 13 or newer, or a server
// compatible with its protocol and dialect.
//
// Each I/O thread has a few connections of its own; all searches share one. A transaction is a single message: its
// statements embed their expectations, so the server decides and no transaction stays open between two round trips.
// Calls throw Unavailable within the timeout, and at once while the server is known to be down. A write whose answer
// was lost throws OutcomeUnknown and is not retried.
//
// The executors of waiting callers must outlive this object, and their io_contexts must not run during its destruction.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/worker_pool.hpp"
#include "net/per_context.hpp"
#include "storage/database.hpp"
#include "storage/postgres/options.hpp"
#include "storage/searches.hpp"

namespace consentry::storage {

namespace postgres {
class Connection;
class Health;
class Pool;
struct Answer;
struct WireStatement;
}  // namespace postgres

class PostgresDatabase final : public Database {
public:
    // Blocks: connects once to verify that the server is reachable and suitable. Throws std::runtime_error with the
    // cause.
    explicit PostgresDatabase(PostgresOptions options);
    ~PostgresDatabase() override;

    awaitable<void> ping() override;
    std::optional<TimePoint> server_time_at_start(const std::function<void()>& asking) override;
    awaitable<std::optional<TimePoint>> server_time() override;
    void migrate(const std::vector<Migration>& migrations) override;
    bool upgrade_is_due(const std::vector<Migration>& migrations) override;

protected:
    awaitable<Outcome> apply(Transaction transaction) override;
    awaitable<Rows> read_by_key(std::string_view sql, Uuid key) override { return look_up_with_others(sql, key); }
    awaitable<Rows> read_shared(std::string_view sql) override { return look_up_with_others(sql, std::nullopt); }
    awaitable<Rows> read(std::string_view sql, Params params) override;
    awaitable<Rows> search(std::string_view sql, Params params) override;
    awaitable<Rows> write(Statement statement) override;

private:
    // Without a key, all callers get the same rows.
    awaitable<Rows> look_up_with_others(std::string_view sql, std::optional<Uuid> key);
    Rows search_now(std::string_view sql, const Params& params, const Searches::Patience& patience);
    awaitable<postgres::Answer> run(std::vector<postgres::WireStatement> statements, bool writes);
    std::unique_ptr<postgres::Connection> take_first();
    // Blocks. Connects again if the first connection is gone.
    void with_first(const std::function<void(postgres::Connection&)>& use);

    const std::shared_ptr<const PostgresOptions> options_;
    const std::shared_ptr<postgres::Health> health_;
    WorkerPool connectors_;
    PerContext<postgres::Pool> pools_;
    // Opened at start, then handed to the first pool: each connection costs the server a process.
    std::mutex first_mutex_;
    std::unique_ptr<postgres::Connection> first_;
    std::unique_ptr<postgres::Connection> searching_;  // of the search thread
    Searches searches_;
};

}  // namespace consentry::storage
