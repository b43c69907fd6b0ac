#include "storage/postgres/postgres_database.hpp"

#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "base/handoff.hpp"
#include "storage/postgres/connection.hpp"
#include "storage/postgres/health.hpp"
#include "storage/postgres/inspect.hpp"
#include "storage/postgres/pool.hpp"
#include "storage/schema_version.hpp"

namespace consentry::storage {
namespace {

using postgres::Answer;
using postgres::WireStatement;

constexpr std::string_view server_time_sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

// Leaves room in pages, so that an update can keep the row in its page and touches no index. Specific to PostgreSQL,
// hence not in the shared SQL.
std::string roomy(std::string_view statement) {
    std::string out(statement.substr(0, statement.rfind(';')));
    if (out.find("CREATE TABLE") != std::string::npos) out.append(" WITH (fillfactor = 85)");
    return out;
}

// Rolls back on destruction unless committed.
class Work {
public:
    explicit Work(postgres::Connection& connection) : connection_(connection) { connection_.run("BEGIN"); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() {
        if (done_) return;
        try {
            connection_.run("ROLLBACK");
        } catch (const std::exception&) {
            // The connection is lost, and the transaction with it.
        }
    }
    void commit() {
        connection_.run("COMMIT");
        done_ = true;
    }

private:
    postgres::Connection& connection_;
    bool done_ = false;
};

// Returns false if no migration was pending.
bool apply_next(postgres::Connection& connection, const std::vector<Migration>& migrations) {
    Work work(connection);
    // A second process waits here and then finds the migrations applied. Each schema has its own lock.
    connection.run("SELECT pg_advisory_xact_lock(hashtext('consentry ' || current_schema()))");
    connection.run(
        "CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT PRIMARY KEY, name TEXT, applied_at BIGINT)");
    const Rows rows = connection.run(schema_version_sql);
    const std::int64_t done = rows[0].integer(0);
    const auto known = static_cast<std::int64_t>(migrations.size());
    require_known_version(done, known);
    if (done == known) {
        work.commit();
        return false;
    }
    const Migration& next = migrations[static_cast<std::size_t>(done)];
    for (const std::string_view statement : next.statements)
        if (is_for(statement, "PostgreSQL")) connection.run(roomy(statement));
    connection.run(
        "INSERT INTO schema_migrations (number, name, applied_at) "
        "VALUES ($1, $2, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT))",
        bind_all(std::int64_t{next.number}, next.name));
    work.commit();
    return true;
}

}  // namespace

PostgresDatabase::PostgresDatabase(PostgresOptions options)
    : options_(std::make_shared<const PostgresOptions>(std::move(options))),
      health_(std::make_shared<postgres::Health>()),
      // Connecting blocks on the network: several threads, so that one dead host does not delay the others.
      connectors_({.name = "postgres", .threads = 4, .queue_max = 1'024}),
      pools_([this](const asio::any_io_executor& executor) {
          auto pool = postgres::Pool::make(executor, options_, health_, connectors_);
          if (auto first = take_first()) pool->adopt(std::move(first));
          return pool;
      }),
      first_(postgres::Connection::open(*options_, postgres::Connection::Use::serving, health_->host)) {}

PostgresDatabase::~PostgresDatabase() = default;

std::unique_ptr<postgres::Connection> PostgresDatabase::take_first() {
    const std::lock_guard lock(first_mutex_);
    return std::move(first_);
}

void PostgresDatabase::with_first(const std::function<void(postgres::Connection&)>& use) {
    auto connection = take_first();
    if (!connection || connection->is_stale())
        connection = postgres::Connection::open(*options_, postgres::Connection::Use::serving, health_->host);
    use(*connection);
    const std::lock_guard lock(first_mutex_);
    first_ = std::move(connection);
}

void PostgresDatabase::migrate(const std::vector<Migration>& migrations) {
    with_first([&](postgres::Connection& connection) {
        const auto known = static_cast<std::int64_t>(migrations.size());
        const std::int64_t version = postgres::schema_version(connection, migrations);
        require_known_version(version, known);
        if (version == known) {
            // With no migration pending, nothing else reveals a full disk or a read-only role. A role without the
            // privilege to create tables gets this far, too.
            connection.run("UPDATE schema_migrations SET applied_at = applied_at WHERE number = 1");
            return;
        }
        connection.use_for(postgres::Connection::Use::maintenance, *options_);
        while (apply_next(connection, migrations)) {
        }
        connection.use_for(postgres::Connection::Use::serving, *options_);
    });
}

bool PostgresDatabase::upgrade_is_due(const std::vector<Migration>& migrations) {
    const auto known = static_cast<std::int64_t>(migrations.size());
    std::int64_t version = 0;
    with_first([&](postgres::Connection& connection) { version = postgres::schema_version(connection, migrations); });
    return version > 0 && version < known;
}

std::optional<TimePoint> PostgresDatabase::server_time_at_start(const std::function<void()>& asking) {
    std::optional<TimePoint> time;
    with_first([&](postgres::Connection& connection) {
        asking();
        time = connection.run(server_time_sql)[0].time(0);
    });
    return time;
}

awaitable<std::optional<TimePoint>> PostgresDatabase::server_time() {
    const Rows rows = co_await read(server_time_sql, {});
    co_return rows[0].time(0);
}

awaitable<Answer> PostgresDatabase::run(std::vector<WireStatement> statements, bool writes) {
    for (const WireStatement& statement : statements)
        if (postgres::parameters_of(statement.sql) != statement.params.size())
            throw Unavailable(
                fmt::format("postgres: {} parameters given for {:.200}", statement.params.size(), statement.sql));
    postgres::Pool& pool = pools_.of(co_await asio::this_coro::executor);
    co_return co_await handoff<Answer>([&](Promise<Answer> promise) {
        pool.submit(std::move(statements), writes, [promise = std::move(promise)](Answer answer) mutable {
            if (answer.error)
                promise.set_exception(std::move(answer.error));
            else
                promise.set_value(std::move(answer));
        });
    });
}

awaitable<Rows> PostgresDatabase::read(std::string_view sql, Params params) {
    std::vector<WireStatement> statements;
    statements.push_back({.sql = std::string(sql), .params = std::move(params)});
    Answer answer = co_await run(std::move(statements), false);
    co_return std::move(answer.outcome.results.front());
}

awaitable<Rows> PostgresDatabase::search(std::string_view sql, Params params) {
    // A copy, because the caller may be gone before the search starts.
    return searches_.run([this, text = std::string(sql), params = std::move(params)](
                             const Searches::Patience& patience) { return search_now(text, params, patience); });
}

Rows PostgresDatabase::search_now(std::string_view sql, const Params& params, const Searches::Patience& patience) {
    try {
        if (!searching_ || searching_->is_stale())
            searching_ = postgres::Connection::open(*options_, postgres::Connection::Use::maintenance, health_->host);
        return searching_->run_while([&] { return !patience.is_over(); }, Searches::time_max, sql, params);
    } catch (const std::exception& error) {
        searching_.reset();
        throw Unavailable(error.what());
    }
}

awaitable<Rows> PostgresDatabase::look_up_with_others(std::string_view sql, std::optional<Uuid> key) {
    // The hot path of every authenticated request: one coroutine, whose own completion handler waits in the pool.
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr, Rows)>(
        [](auto handler, PostgresDatabase* self, std::string_view statement, std::optional<Uuid> of) {
            using Found = postgres::Pool::Found;
            const auto executor = asio::get_associated_executor(handler);
            auto slot = asio::get_associated_cancellation_slot(handler);
            const auto waiting = std::make_shared<Found>(std::move(handler));
            if (slot.is_connected())
                slot.assign([waiting, executor](asio::cancellation_type) {
                    Found late;
                    late.swap(*waiting);
                    if (!late) return;  // about to resume anyway
                    // Posted because the coroutine must not be resumed from inside its own cancellation.
                    asio::post(executor, [late = std::move(late)]() mutable {
                        std::move(late)(
                            std::make_exception_ptr(boost::system::system_error(asio::error::operation_aborted)),
                            Rows{});
                    });
                });
            self->pools_.of(executor).look_up(statement, of, waiting);
        },
        asio::use_awaitable, this, sql, key);
}

awaitable<Rows> PostgresDatabase::write(Statement statement) {
    std::vector<WireStatement> statements;
    statements.push_back({.sql = std::string(statement.sql), .params = std::move(statement.params)});
    Answer answer = co_await run(std::move(statements), true);
    if (!answer.outcome.committed) throw UniqueViolation(answer.violation);
    co_return std::move(answer.outcome.results.front());
}

awaitable<Outcome> PostgresDatabase::apply(Transaction transaction) {
    if (transaction.statements().empty()) co_return Outcome{.committed = true, .results = {}};
    std::vector<WireStatement> statements;
    statements.reserve(transaction.statements().size());
    for (const Statement& statement : transaction.statements())
        statements.push_back(
            {.expect = statement.expect, .sql = std::string(statement.sql), .params = statement.params});
    Answer answer = co_await run(std::move(statements), true);
    co_return std::move(answer.outcome);
}

awaitable<void> PostgresDatabase::ping() {
    co_await read("SELECT 1", {});
    // If the server refused a write, only another write can tell whether it works again.
    if (health_->writes_fail.load(std::memory_order_relaxed))
        co_await write({Expect::any, "UPDATE schema_migrations SET applied_at = applied_at WHERE number = 1", {}});
}

}  // namespace consentry::storage
