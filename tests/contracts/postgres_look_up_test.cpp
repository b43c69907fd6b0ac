// Tests how PostgreSQL plans the statement that looks up many keys at once.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/postgres/connection.hpp"
#include "storage/postgres/statements.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PostgresLookUps : public ::testing::Test {
protected:
    PostgresLookUps() {
        connection_.run("CREATE TABLE things (id UUID PRIMARY KEY, name TEXT)");
        connection_.run("PREPARE asked (uuid[]) AS " +
                        storage::postgres::for_many_keys("SELECT id, name FROM things WHERE id = $1"));
    }
    void fill() { connection_.run("INSERT INTO things SELECT gen_random_uuid(), 'x' FROM generate_series(1, 5000)"); }
    void analyze() { connection_.run("ANALYZE things"); }
    // More often than the five times for which the server makes a plan in any case.
    void ask() {
        for (int i = 0; i < 7; ++i) connection_.run(asking);
    }
    std::string plan() {
        const auto rows = connection_.run("EXPLAIN " + asking);
        std::string out;
        for (std::size_t i = 0; i < rows.size(); ++i) out += rows[i].text(0) + '\n';
        return out;
    }
    std::int64_t number(std::string_view sql) { return connection_.run(sql)[0].integer(0); }

private:
    const std::string asking = "EXECUTE asked (ARRAY[CAST('00000000-0000-7000-8000-000000000001' AS uuid)])";
    const PostgresSchema schema_;
    storage::postgres::Connection connection_{{.url = schema_.patient_url()},
                                              storage::postgres::Connection::Use::serving};
};

TEST_F(PostgresLookUps, OfFewKeysAreNotPlannedAnewEachTime) {
    fill();
    analyze();
    ask();
    EXPECT_EQ(number("SELECT custom_plans FROM pg_prepared_statements WHERE name = 'asked'"), 5);
    EXPECT_EQ(number("SELECT generic_plans FROM pg_prepared_statements WHERE name = 'asked'"), 2);
}

// Until the server has gathered statistics, a minute later, it keeps the plan that it made for the empty table.
TEST_F(PostgresLookUps, UseTheIndexOfATableThatWasEmptyWhenTheyWerePlanned) {
    ask();
    fill();
    EXPECT_THAT(plan(), AllOf(HasSubstr("things_pkey"), Not(HasSubstr("Seq Scan"))));
}

}  // namespace
}  // namespace consentry::tests
