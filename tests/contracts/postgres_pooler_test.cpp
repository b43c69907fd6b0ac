// Tests the PostgreSQL engine behind a pooler that may hand a session to another client after each transaction.
#include <unistd.h>

#include <gtest/gtest.h>

#include "storage/postgres/postgres_database.hpp"
#include "tests/support/real_postgres.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::Expect;
using storage::Transaction;

class PgBouncer {
public:
    explicit PgBouncer(const RealPostgres& server) {
        const auto out = output_of({CONSENTRY_REAL_SERVERS "/pgbouncer.sh", "start", "--owner",
                                    std::to_string(::getpid()), "--server", server.url(), folder_.path()});
        url_ = with_port(server.url(), static_cast<std::uint16_t>(std::stoi(named_values(out).at("PGBOUNCER_PORT"))));
    }
    ~PgBouncer() { run_command({CONSENTRY_REAL_SERVERS "/pgbouncer.sh", "stop", folder_.path()}); }
    PgBouncer(const PgBouncer&) = delete;
    PgBouncer& operator=(const PgBouncer&) = delete;
    const std::string& url() const { return url_; }

private:
    TempFolder folder_{std::filesystem::temp_directory_path()};
    std::string url_;
};

awaitable<bool> spend_and_note(storage::Database& on, int id) {
    Transaction tx;
    tx.add(Expect::one, "UPDATE things SET flag = TRUE WHERE id = $1 AND flag = FALSE", id);
    tx.add(Expect::any, "INSERT INTO spent (id) VALUES ($1)", id);
    const auto outcome = co_await on.commit(std::move(tx));
    co_return outcome.committed;
}

TEST(PostgresPooler, InTransactionModeEverythingWorksWithoutSessionState) {
    const RealPostgres server({.fast = true});
    server.sql("CREATE TABLE things (id BIGINT PRIMARY KEY, flag BOOLEAN); CREATE TABLE spent (id BIGINT)");
    const PgBouncer pooler(server);
    storage::PostgresDatabase database(
        {.url = pooler.url(), .connections = 4, .timeout = 10s, .keeps_session_state = false});
    // The engine has more connections than the pooler has sessions, so that they take turns.
    for (int id = 1; id <= 20; ++id) {
        run(database.execute("INSERT INTO things (id, flag) VALUES ($1, FALSE)", id));
        EXPECT_EQ(successes_of(32, [&](std::size_t) { return spend_and_note(database, id); }), 1U);
    }
    EXPECT_EQ(server.sql("SELECT count(*) FROM spent")[0][0], "20");
    EXPECT_EQ(run(database.query("SELECT count(*) FROM things WHERE flag = $1", true))[0].integer(0), 20);
    EXPECT_NO_THROW(database.migrate({{1, "0001_a.sql", {"CREATE TABLE a (id BIGINT PRIMARY KEY);"}}}));
}

}  // namespace
}  // namespace consentry::tests
