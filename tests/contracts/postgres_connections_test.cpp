// Which connections the PostgreSQL engine opens. Each one costs the server a process.
#include <algorithm>

#include <gmock/gmock.h>

#include "storage/postgres/postgres_database.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::Rows;

class PostgresConnections : public ::testing::Test {
protected:
    // Counts the connections of this test's engine.
    std::string count_sql() const {
        return "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + name_ + "'";
    }

    const PostgresSchema schema_;
    const std::string name_ = fresh_namespace();
    storage::PostgresDatabase database_{{.url = schema_.patient_url() + "&application_name=" + name_, .timeout = 10s}};
};

TEST_F(PostgresConnections, TheOneOfTheStartGoesOnServing) {
    database_.migrate({{1,
                        "0001_seen.sql",
                        {"CREATE TABLE seen (time_max TEXT);",
                         "INSERT INTO seen (time_max) VALUES (current_setting('statement_timeout'));"}}});
    EXPECT_TRUE(database_.server_time_at_start([] {}));
    const Rows rows = run(database_.query(
        "SELECT time_max, current_setting('statement_timeout'), current_setting('lock_timeout') FROM seen"));
    EXPECT_EQ(rows[0].text(0), "0") << "a migration may take longer than a request may wait";
    EXPECT_EQ(rows[0].text(1), "9s") << "a request may not";
    EXPECT_EQ(rows[0].text(2), "4500ms") << "nor for a lock that a deadlock may hold";
    EXPECT_EQ(schema_.sql(count_sql())[0][0], "1");
}

TEST_F(PostgresConnections, AThreadOpensASecondOnlyWhenStatementsOverlap) {
    const std::string sql = count_sql();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(database_.query(sql))[0].integer(0), 1);
    std::vector<awaitable<Rows>> both;
    both.push_back(database_.query(sql));
    both.push_back(database_.query(sql));
    // On a thread of its own, which opens its first connection and then its second.
    const auto seen = values_of(std::move(both), 1);
    EXPECT_EQ(std::max(seen[0][0].integer(0), seen[1][0].integer(0)), 3);
}

}  // namespace
}  // namespace consentry::tests
