#include "tests/support/real_postgres.hpp"

#include <future>
#include <stdexcept>

#include <gmock/gmock.h>

#include "tests/support/eventually.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(RealPostgres, KeepsWhatWasCommittedThroughACrash) {
    const RealPostgres server({.settings = {"work_mem=7MB"}});
    EXPECT_THAT(server.sql("SHOW work_mem"), ElementsAre(ElementsAre("7MB")));
    EXPECT_THAT(server.sql("SHOW fsync"), ElementsAre(ElementsAre("on")));
    server.sql("CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('kept')");
    server.kill();
    EXPECT_THROW(server.sql("SELECT 1"), std::runtime_error);
    server.start();
    EXPECT_THAT(server.sql("SELECT name FROM things"), ElementsAre(ElementsAre("kept")));
    server.stop();
    EXPECT_THROW(server.sql("SELECT 1"), std::runtime_error);
    server.start();
    EXPECT_THAT(server.sql("SELECT name FROM things"), ElementsAre(ElementsAre("kept")));
}

TEST(RealPostgres, AsksForThePassword) {
    const RealPostgres server({.fast = true});
    EXPECT_THAT([&] { run_postgres_sql(server.url("app", "wrong"), "SELECT 1"); },
                ThrowsMessage<std::runtime_error>(HasSubstr("password authentication failed")));
    server.sql("CREATE ROLE reader LOGIN PASSWORD 'secret'");
    EXPECT_THAT(run_postgres_sql(server.url("reader", "secret"), "SELECT current_user"),
                ElementsAre(ElementsAre("reader")));
}

TEST(RealPostgres, FrozenItAnswersNothingAndThenGoesOn) {
    const RealPostgres server({.fast = true});
    server.pause();
    auto answer = std::async(std::launch::async, [&] { return server.sql("SELECT 'late'"); });
    EXPECT_EQ(answer.wait_for(200ms), std::future_status::timeout);
    server.resume();
    EXPECT_THAT(answer.get(), ElementsAre(ElementsAre("late")));
}

TEST(RealPostgres, TlsOnlyAndOnlyItsOwnAuthorityIsTrusted) {
    const RealPostgres server({.tls = true, .fast = true});
    EXPECT_THAT(server.sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), ElementsAre(ElementsAre("1")));
    const std::string plain = server.url().substr(0, server.url().find('?'));
    EXPECT_THROW(run_postgres_sql(plain + "?sslmode=disable", "SELECT 1"), std::runtime_error);
    EXPECT_THAT(
        [&] {
            run_postgres_sql(plain + "?sslmode=verify-full&sslrootcert=" + server.untrusted_ca_file().string(),
                             "SELECT 1");
        },
        ThrowsMessage<std::runtime_error>(HasSubstr("certificate verify failed")));
}

TEST(RealPostgres, ASynchronousReplicaTakesOver) {
    const RealPostgres primary({.fast = true});
    const RealPostgres replica({.replica_of = &primary, .synchronous = true});
    ASSERT_TRUE(eventually([&] {
        return primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == SqlRows{{"1"}};
    }));
    primary.sql("SET synchronous_commit = remote_apply; CREATE TABLE things AS SELECT 'kept' AS name");
    EXPECT_THAT(replica.sql("SELECT name FROM things"), ElementsAre(ElementsAre("kept")));
    EXPECT_THAT([&] { replica.sql("CREATE TABLE more (name TEXT)"); },
                ThrowsMessage<std::runtime_error>(HasSubstr("read-only")));
    primary.kill();
    replica.promote();
    replica.sql("INSERT INTO things VALUES ('new')");
    EXPECT_THAT(replica.sql("SELECT count(*) FROM things"), ElementsAre(ElementsAre("2")));
}

TEST(RealPostgres, LeavesNothingBehind) {
    std::filesystem::path folder;
    {
        const RealPostgres server({.tls = true, .fast = true});
        folder = server.ca_file().parent_path();
        server.kill();
    }
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_THROW(RealPostgres({.settings = {"no_such_setting=1"}}), std::runtime_error);
}

}  // namespace
}  // namespace consentry::tests
