// consentry doctor on PostgreSQL and Redis: fast, slow and out of reach; and what their service writes to disk.
#include <filesystem>
#include <optional>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/migrated_postgres.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class DoctorOfServers : public ::testing::Test {
protected:
    // "ok: text" of the first finding about this subject.
    std::string finding(std::string_view subject) const {
        const Settings settings = quick_settings({{"DATABASE_URL", with_port(postgres_.url(), to_postgres_.port())},
                                                  {"DATABASE_TIMEOUT", "25s"},
                                                  {"CACHE_URL", with_port(shared_redis_url(), to_redis_.port())},
                                                  {"CACHE_TIMEOUT", "10s"}});
        const Finished done = run_program({"doctor", "--json"}, folder_.path(), settings);
        const json::value findings = json::parse(done.out);
        for (const auto& one : findings.as_array())
            if (one.at("subject").as_string() == subject)
                return std::string(one.at("severity").as_string()) + ": " + std::string(one.at("text").as_string());
        return "nothing: " + done.out;
    }

    const TempFolder folder_;
    const MigratedPostgres postgres_;
    TcpProxy to_postgres_{port_of(postgres_.url())};
    TcpProxy to_redis_{port_of(shared_redis_url())};
};

TEST_F(DoctorOfServers, SlowOnesAreNamed) {
    EXPECT_THAT(finding("clock"), MatchesRegex("ok: differs by [0-9]+ ms from that of the database"));
    to_postgres_.delay(std::chrono::milliseconds{30});
    EXPECT_THAT(finding("database"), StartsWith("warning: answers in "));
    to_postgres_.pass();
    to_redis_.delay(std::chrono::milliseconds{30});
    EXPECT_THAT(finding("cache"), StartsWith("warning: answers in "));
}

TEST_F(DoctorOfServers, NothingIsWrittenToACache) {
    const RealRedis redis;
    const Settings settings = quick_settings({{"DATABASE_URL", postgres_.url()}, {"CACHE_URL", redis.url()}});
    EXPECT_THAT(run_program({"doctor"}, folder_.path(), settings).out, HasSubstr("cache"));
    const std::string commands = redis.command(0, {"INFO", "commandstats"});
    EXPECT_THAT(commands,
                AllOf(HasSubstr("cmdstat_ping:"), Not(HasSubstr("cmdstat_set:")), Not(HasSubstr("cmdstat_eval:"))));
}

// Whatever writes first makes the folder.
TEST_F(DoctorOfServers, TheDataFolderIsForTheServiceOnly) {
    const Settings settings = production_settings({{"DATABASE_URL", postgres_.url()}});
    ServiceProcess service(folder_.path(), settings);
    EXPECT_EQ(service.stop().code, 0);
    EXPECT_EQ(std::filesystem::status(folder_ / "data").permissions(), std::filesystem::perms::owner_all);
}

// The statement that counts the accounts is another one on SQLite.
TEST_F(DoctorOfServers, AMissingTwoFactorKeyIsReported) {
    const Settings settings = production_settings({{"DATABASE_URL", postgres_.url()}});
    make_data(folder_.path(), settings);
    Person ada = make_person(folder_.path(), "ada@example.org", "user", settings);
    {
        const ServiceProcess service(folder_.path(), settings);
        turn_two_factor_on(service.client(), ada);
    }
    const auto look = [&](const std::string& keys) {
        Settings with = settings;
        with["AUTH_TWO_FACTOR_ENCRYPTION_KEY"] = keys;
        return run_program({"config", "check"}, folder_.path(), with).err +
               run_program({"doctor"}, folder_.path(), with).out;
    };
    const std::string present = settings.at("AUTH_TWO_FACTOR_ENCRYPTION_KEY");
    const std::string other = "a-new-key-that-is-32-bytes-long-";
    EXPECT_THAT(look(present),
                AllOf(HasSubstr("ok\ttwo-factor key"), Not(HasSubstr("AUTH_TWO_FACTOR_ENCRYPTION_KEY"))));
    EXPECT_THAT(look(other + "," + present), HasSubstr("1 account still needs a former key"));
    EXPECT_THAT(look(other), AllOf(HasSubstr("warning: AUTH_TWO_FACTOR_ENCRYPTION_KEY: 1 account cannot log in"),
                                   HasSubstr("error\ttwo-factor key\t1 account cannot log in")));
}

// Stands for a table that is too large to be counted in time.
class LockedTable {
public:
    LockedTable(const std::string& url, const std::string& table) : connection_(url) {
        connection_.run("BEGIN");
        connection_.run("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
    }

private:
    PostgresConnection connection_;
};
// The settings of a command that gives up soon.
Settings impatient(const std::string& url) {
    return quick_settings(
        {{"DATABASE_URL", url + (url.contains('?') ? "&" : "?") + "options=-c%20lock_timeout%3D50ms"}});
}

TEST_F(DoctorOfServers, WhatTakesTooLongEndsNoOtherExamination) {
    make_data(folder_.path(), quick_settings({{"DATABASE_URL", postgres_.url()}}));
    const LockedTable locked(postgres_.url(), "backup_codes, two_factors");
    const Finished done = run_program({"doctor"}, folder_.path(), impatient(postgres_.url()));
    EXPECT_THAT(done.out, AllOf(HasSubstr("warning\ttwo-factor key\tnot examined: "), HasSubstr("\tadministrators\t")));
}

// A command that says that it has failed is run again, which ends the logins made in between.
TEST_F(DoctorOfServers, AnEpochThatIsRaisedIsRaisedEvenIfNothingIsCounted) {
    const Settings settings = quick_settings({{"DATABASE_URL", postgres_.url()}});
    make_data(folder_.path(), settings);
    const SqlRows before = postgres_.sql("SELECT grants FROM epochs");
    const LockedTable locked(postgres_.url(), "backup_codes");
    const Finished raised =
        run_program({"keys", "epoch", "raise", "--json"}, folder_.path(), impatient(postgres_.url()));
    EXPECT_EQ(raised.code, 0) << raised.err;
    EXPECT_THAT(raised.err, HasSubstr("What has ended was not counted: "));
    EXPECT_NE(postgres_.sql("SELECT grants FROM epochs"), before);
    EXPECT_EQ(json::parse(raised.out).as_object().size(), 1U) << raised.out;
    std::string events;
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "data" / "security"))
        events += text_in(file.path());
    EXPECT_THAT(events, HasSubstr("\"epoch.raised\""));
}

// A program looks for its keys, and then asks for accounts, which another program has made meanwhile with new keys.
TEST_F(DoctorOfServers, KeysMadeMeanwhileAreNotMissing) {
    const std::string name = std::filesystem::path(folder_.path()).filename();
    const Settings settings = quick_settings({{"DATABASE_URL", postgres_.url() + "&application_name=" + name}});
    make_data(folder_.path(), settings);
    const std::filesystem::path keys = folder_ / "data" / "keys";
    const std::filesystem::path elsewhere = folder_ / "data" / "elsewhere";
    make_person(folder_.path(), "ada@example.org", "user", settings);
    std::filesystem::rename(keys, elsewhere);
    std::optional<LockedTable> locked(std::in_place, postgres_.url(), "users");
    Program listing({"user", "list"}, folder_.path(), settings);
    ASSERT_TRUE(eventually([&] {
        return postgres_.sql(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = '" +
                   name + "'") == SqlRows{{"1"}};
    }));
    std::filesystem::rename(elsewhere, keys);
    locked.reset();
    EXPECT_EQ(listing.wait().code, 0) << listing.err();
}

TEST_F(DoctorOfServers, ACommandMakesNoTables) {
    const PostgresSchema empty;
    make_data(folder_.path(), quick_settings({{"DATABASE_URL", postgres_.url()}}));
    const Settings settings = quick_settings({{"DATABASE_URL", empty.url()}});
    const Finished listed = run_program({"user", "list"}, folder_.path(), settings);
    EXPECT_EQ(listed.code, 2);
    EXPECT_THAT(listed.err, HasSubstr("the database has no tables of Consentry. Check DATABASE_URL."));
    EXPECT_EQ(run_postgres_sql(empty.url(),
                               "SELECT count(*) FROM pg_class WHERE relnamespace = "
                               "current_schema()::regnamespace"),
              SqlRows{{"0"}});
}

TEST_F(DoctorOfServers, OnesOutOfReachAreNamed) {
    to_redis_.refuse();
    EXPECT_THAT(finding("CACHE_URL"), StartsWith("warning: "));
    to_postgres_.refuse();
    EXPECT_THAT(finding("DATABASE_URL"), StartsWith("error: "));
}

}  // namespace
}  // namespace consentry::tests
