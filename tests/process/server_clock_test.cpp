// Commands beside a PostgreSQL server whose clock is not that of the machine.
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "tests/support/migrated_postgres.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

TEST(ServerClock, ALockIsShownUntilItEndsByTheClockOfTheDatabaseServer) {
    const TempFolder folder;
    const MigratedPostgres postgres;
    const Settings settings = quick_settings({{"DATABASE_URL", postgres.url()}});
    make_person(folder.path(), "ada@example.org", "user", settings);
    postgres.sql("CREATE SCHEMA late");
    postgres.sql(
        "CREATE FUNCTION late.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS "
        "$$ SELECT pg_catalog.clock_timestamp() - interval '1 hour' $$");
    postgres.sql("ALTER DATABASE " + postgres.sql("SELECT current_database()").at(0).at(0) +
                 " SET search_path = late, public, pg_catalog");
    // Minutes until the lock ends, by the clock of the server.
    const auto is_shown = [&](int minutes) {
        postgres.sql(
            "UPDATE users SET password_locked_until = CAST(extract(epoch FROM now() - interval '60 minutes' + " +
            std::to_string(minutes) + " * interval '1 minute') * 1000 AS BIGINT)");
        const Finished shown =
            run_program({"user", "show", "--email", "ada@example.org", "--json"}, folder.path(), settings);
        EXPECT_EQ(shown.code, 0) << shown.err;
        return !json::parse(shown.out).at("passwordLockedUntil").is_null();
    };
    EXPECT_TRUE(is_shown(4));
    EXPECT_FALSE(is_shown(-1));
}

}  // namespace
}  // namespace consentry::tests
