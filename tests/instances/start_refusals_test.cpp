// Servers that cannot be used: the program does not start, names the setting and the reason, and never reveals a
// password.
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/instances/fleet.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/real_postgres.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// The password in URLs that these tests write. Servers of their own have random passwords.
const std::string role_password = "Pass-phrase-77";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
}

class StartRefusals : public testing::Test {
protected:
    // Expects that `config check` and `serve` both end with `code` and name this setting and these words, without
    // revealing `secret`.
    void expect_refused(const std::string& setting, const std::string& url, const std::string& words,
                        const std::string& secret = role_password, int code = 1) {
        SCOPED_TRACE(words);
        const Finished checked = run_program({"config", "check"}, folder.path(), quick_settings({{setting, url}}));
        EXPECT_EQ(checked.code, code);
        EXPECT_THAT(checked.err, HasSubstr(setting + ": "));
        EXPECT_THAT(checked.err, HasSubstr(words));
        EXPECT_THAT(checked.out + checked.err, Not(HasSubstr(secret)));
        expect_refused_start(setting, url, words, secret, code);
    }

    // For faults that only a write reveals, which `config check` therefore misses. `code` 1: the server may change its
    // mind, so a service manager tries again.
    void expect_refused_start(const std::string& setting, const std::string& url, const std::string& words,
                              const std::string& secret, int code = 1) {
        const Finished ended = run_program({"serve"}, folder.path(), quick_settings({{setting, url}}));
        EXPECT_EQ(ended.code, code);
        EXPECT_THAT(ended.err, HasSubstr(setting + ": "));
        EXPECT_THAT(ended.err, HasSubstr(words));
        EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(secret)));
        EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("listens on")));
    }

    const TempFolder folder;
};

TEST_F(StartRefusals, OPS_2_OfAPostgresThatIsNotThere) {
    const std::string user = "postgresql://app:" + role_password + "@";
    // The shared servers listen on 127.0.0.1 only.
    const std::string port = std::to_string(port_of(shared_postgres_url()));
    expect_refused("DATABASE_URL", user + "127.0.0.2:" + port + "/app", "Connection refused");
    expect_refused("DATABASE_URL", user + "127.0.0.1:1/app", "Connection refused");
    TcpProxy silent(port_of(shared_postgres_url()));
    silent.hang();
    expect_refused("DATABASE_URL", with_port(shared_postgres_url(), silent.port()), "timeout expired");
    expect_refused("DATABASE_URL", with_port(shared_postgres_url(), port_of(shared_redis_url())), "");
}

TEST_F(StartRefusals, OPS_2_OfADatabaseThatWillNotHaveUs) {
    const PostgresSchema schema;
    const std::string url = shared_postgres_url();
    const std::string password = url.substr(url.find("app:") + 4, url.find('@') - url.find("app:") - 4);
    expect_refused("DATABASE_URL", replaced(url, password, role_password), "password authentication failed");
    expect_refused("DATABASE_URL", replaced(url, "//app:", "//nobody:"), "password authentication failed", password);
    expect_refused("DATABASE_URL", url.substr(0, url.rfind('/')) + "/no_such_database",
                   "\"no_such_database\" does not exist", password);
    expect_refused("DATABASE_URL", url + "?sslmode=verify-full", "does not support SSL", password);
    expect_refused("DATABASE_URL", url + "?options=-c%20search_path%3Dno_such_schema", "no schema", password);
    // A role that may only read.
    expect_refused("DATABASE_URL", url + "?options=-c%20default_transaction_read_only%3Don", "read-only", password);
}

TEST_F(StartRefusals, OPS_2_OfASchemaThatIsNewerThanTheProgram) {
    const PostgresSchema schema;
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings({{"DATABASE_URL", schema.url()}})).code, 0);
    schema.sql("INSERT INTO schema_migrations (number, name, applied_at) VALUES (9999, 'of the future', 0)");
    expect_refused("DATABASE_URL", schema.url(), "version 9999", schema.url());
}

// Only the object store knows what others have seen.
TEST_F(StartRefusals, OPS_2_OfADatabaseThatIsOlderThanThePublishedLog) {
    const PostgresSchema schema;
    const PostgresSchema older;
    const Settings settings = quick_settings({{"DATABASE_URL", schema.url()}});
    make_person(folder.path(), "ada@example.org", "user", settings);
    ASSERT_EQ(run_program({"clean-up"}, folder.path(), settings).code, 0) << "publishes the act";
    const Finished checked = run_program({"config", "check"}, folder.path(), settings);
    EXPECT_EQ(checked.code, 0) << checked.err;
    const auto expect_refused_log = [&](const std::string& url, const std::string& words) {
        const Settings changed = quick_settings({{"DATABASE_URL", url}});
        const Finished found = run_program({"config", "check"}, folder.path(), changed);
        EXPECT_EQ(found.code, 1);
        EXPECT_THAT(found.err, HasSubstr("\nDATABASE_URL: " + words));
        const Finished served = run_program({"serve"}, folder.path(), changed);
        EXPECT_EQ(served.code, 1);
        EXPECT_THAT(served.err, HasSubstr(words));
    };
    expect_refused_log(older.url(), "The published log has 1 entries, but the one in the database only 0");
    schema.sql("UPDATE logs SET edge = '\\x00' WHERE name = 'administration'");
    expect_refused_log(schema.url(), "The database's log is damaged: ");
}

TEST_F(StartRefusals, OPS_2_AndACheckMakesNoTable) {
    const PostgresSchema schema;
    const Settings settings = quick_settings({{"DATABASE_URL", schema.url()}, {"CACHE_URL", shared_redis_url()}});
    const Finished checked = run_program({"config", "check"}, folder.path(), settings);
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_EQ(schema.sql("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").at(0).at(0), "0");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A role as recommended for serving instances: it may read and write rows but not create tables.
class ServingRole {
public:
    explicit ServingRole(const PostgresSchema& schema) : schema_(schema), name_("serving_" + schema.name()) {
        schema.sql("CREATE ROLE " + name_ + " LOGIN PASSWORD '" + role_password + "'; GRANT USAGE ON SCHEMA " +
                   schema.name() + " TO " + name_);
    }
    ~ServingRole() { schema_.sql("DROP OWNED BY " + name_ + "; DROP ROLE " + name_); }
    ServingRole(const ServingRole&) = delete;
    ServingRole& operator=(const ServingRole&) = delete;

    void may_use_tables() const {
        schema_.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema_.name() + " TO " + name_);
    }
    const std::string& name() const { return name_; }
    std::string url() const {
        const std::string of_owner = schema_.url();
        return "postgresql://" + name_ + ":" + role_password + of_owner.substr(of_owner.find('@'));
    }

private:
    const PostgresSchema& schema_;
    std::string name_;
};

std::string grant_words(const std::string& need, const std::string& tables, const ServingRole& role) {
    return "lacks permission to " + need + " " + tables + ": run `GRANT SELECT, INSERT, UPDATE, DELETE ON " + tables +
           " TO " + role.name() + "`";
}

// The statement with which docs/deploy/postgresql-and-redis.md gives the serving role rights on later tables; empty if
// the page has none. Tests run in the project's root.
std::string documented_default_rights() {
    std::ifstream page("docs/deploy/postgresql-and-redis.md");
    std::string statement;
    for (std::string line; std::getline(page, line);) {
        if (statement.empty() && !line.starts_with("ALTER DEFAULT PRIVILEGES")) continue;
        statement += line + " ";
        if (line.ends_with(';')) break;
    }
    return statement;
}

TEST_F(StartRefusals, OPS_2_OfARoleThatMayNotMakeTheTablesThatAreMissing) {
    const PostgresSchema schema;
    const ServingRole role(schema);
    expect_refused("DATABASE_URL", role.url(), "run `consentry migrate`");
    EXPECT_EQ(schema.sql("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").at(0).at(0), "0");
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings({{"DATABASE_URL", schema.url()}})).code, 0);
    const std::string words = grant_words("read and write", schema.name() + ".schema_migrations", role);
    expect_refused("DATABASE_URL", role.url(), words);
    schema.sql("GRANT SELECT, INSERT ON schema_migrations TO " + role.name());
    expect_refused("DATABASE_URL", role.url(), words);
    role.may_use_tables();
    schema.sql("DELETE FROM schema_migrations WHERE number > 1");
    expect_refused("DATABASE_URL", role.url(), "run `consentry migrate`");
    schema.sql("GRANT CREATE ON SCHEMA " + schema.name() + " TO serving_" + schema.name());
    expect_refused("DATABASE_URL", role.url(), "run `consentry migrate`");  // another role owns the tables
}

TEST_F(StartRefusals, OPS_2_ButNotOfARoleThatNeedNotMakeThem) {
    const PostgresSchema schema;
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings({{"DATABASE_URL", schema.url()}})).code, 0);
    const ServingRole role(schema);
    role.may_use_tables();
    const Settings settings = quick_settings({{"DATABASE_URL", role.url()}, {"CACHE_URL", shared_redis_url()}});
    const Finished checked = run_program({"config", "check"}, folder.path(), settings);
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_EQ(ServiceProcess(folder.path(), settings).stop().code, 0);
}

TEST_F(StartRefusals, OPS_2_OfARoleThatMayNotUseATable) {
    const PostgresSchema schema;
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings({{"DATABASE_URL", schema.url()}})).code, 0);
    const ServingRole role(schema);
    role.may_use_tables();
    schema.sql("REVOKE ALL ON activity_log, sessions FROM " + role.name());
    const std::string tables = schema.name() + ".activity_log, " + schema.name() + ".sessions";
    expect_refused("DATABASE_URL", role.url(), grant_words("read", tables, role));
    role.may_use_tables();
    // Tables of other programs, and rights without which the service can do, are left to the operator.
    schema.sql("CREATE TABLE of_another_program (id BIGINT); REVOKE INSERT, UPDATE, DELETE ON epochs FROM " +
               role.name());
    const Settings settings = quick_settings({{"DATABASE_URL", role.url()}, {"CACHE_URL", shared_redis_url()}});
    EXPECT_EQ(ServiceProcess(folder.path(), settings).stop().code, 0);
}

// The guide promises that these suffice for the tables of later versions, too.
TEST_F(StartRefusals, OPS_2_ButNotOfTheDocumentedRoleAfterAMigration) {
    const PostgresSchema schema;
    const ServingRole role(schema);
    const std::string rights = documented_default_rights();
    ASSERT_THAT(rights, HasSubstr("ON TABLES TO consentry_serving"));
    schema.sql(replaced(replaced(rights, "consentry_serving", role.name()), "public", schema.name()));
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings({{"DATABASE_URL", schema.url()}})).code, 0);
    const Settings settings = quick_settings({{"DATABASE_URL", role.url()}, {"CACHE_URL", shared_redis_url()}});
    const Finished checked = run_program({"config", "check"}, folder.path(), settings);
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_EQ(ServiceProcess(folder.path(), settings).stop().code, 0);
}

// The check before an upgrade opens connections of its own.
TEST_F(StartRefusals, OPS_2_ButNotForGoodIfAnUpgradeIsDueAndTheServerHasNoConnectionToSpare) {
    const PostgresSchema schema;
    const ServingRole role(schema);
    schema.sql("GRANT CREATE ON SCHEMA " + schema.name() + " TO " + role.name());
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings({{"DATABASE_URL", role.url()}})).code, 0);
    schema.sql("DELETE FROM schema_migrations WHERE number > 1; ALTER ROLE " + role.name() + " CONNECTION LIMIT 1");
    expect_refused_start("DATABASE_URL", role.url(), "too many connections for role", role_password);
    EXPECT_EQ(schema.sql("SELECT max(number) FROM schema_migrations").at(0).at(0), "1");
    const Finished refused =
        run_program({"serve"}, folder.path(), quick_settings({{"DATABASE_URL", role.url()}, {"PAGES_DIR", "missing"}}));
    EXPECT_EQ(refused.code, 2) << "the settings would still be wrong: " << refused.err;
}

TEST_F(StartRefusals, STO_4_OfADiskThatIsFull) {
    const PostgresSchema schema;
    ASSERT_EQ(run_program({"migrate"}, folder.path(), quick_settings({{"DATABASE_URL", schema.url()}})).code, 0);
    schema.sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend "
        "file: No space left on device' USING ERRCODE = '53100'; END $$;"
        "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON schema_migrations EXECUTE FUNCTION full_disk()");
    expect_refused_start("DATABASE_URL", schema.url(), "No space left on device", schema.url());
}

TEST_F(StartRefusals, CRY_7_OfAPostgresWhoseCertificateIsNotTrusted) {
    const RealPostgres server({.tls = true, .fast = true});
    expect_refused("DATABASE_URL", replaced(server.url(), server.ca_file(), server.untrusted_ca_file()),
                   "certificate verify failed", server.password());
    const std::string bare = server.url().substr(0, server.url().find('?'));
    expect_refused("DATABASE_URL", bare + "?sslmode=disable", "no encryption", server.password());
    // With a trusted certificate, the service starts.
    EXPECT_EQ(ServiceProcess(folder.path(), quick_settings({{"DATABASE_URL", server.url()}})).stop().code, 0);
}

TEST_F(StartRefusals, OPS_2_OfAReplica) {
    const RealPostgres primary({.fast = true});
    const RealPostgres replica({.fast = true, .replica_of = &primary});
    expect_refused("DATABASE_URL", replica.url(), "read-only", replica.password());
}

TEST_F(StartRefusals, CRY_7_OfARedisWhoseCertificateIsNotTrusted) {
    const RealRedis server({.tls = true, .user = "consentry"});
    expect_refused("CACHE_URL", replaced(server.url(), server.ca_file(), server.untrusted_ca_file()), "certificate",
                   server.password());
    expect_refused("CACHE_URL", replaced(server.url(), server.password(), role_password),
                   "refuses the user or the password");
    expect_refused("CACHE_URL", replaced(server.url(), server.ca_file(), "no-such-file.crt"), "no-such-file.crt",
                   server.password(), 2);
    EXPECT_EQ(ServiceProcess(folder.path(), quick_settings({{"CACHE_URL", server.url()}})).stop().code, 0);
}

TEST_F(StartRefusals, OPS_2_OfAMasterThatNoSentinelKnows) {
    const RealRedis server({.kind = RedisKind::sentinel, .user = "consentry"});
    expect_refused("CACHE_URL", server.url().substr(0, server.url().rfind('/')) + "/nobody", "nobody",
                   server.password());
    expect_refused("CACHE_URL", replaced(server.url(), server.password(), role_password),
                   "refuses the user or the password");
}

TEST_F(StartRefusals, OPS_2_OfARedisOfAnotherKind) {
    const std::string address = shared_redis_url().substr(std::string("redis://").size());
    expect_refused("CACHE_URL", "redis+cluster://" + address, "not in cluster mode");
}

// The words of the command with which docs/deploy/postgresql-and-redis.md creates the Redis user of the service; none
// if the page has no such command. Tests run in the project's root.
std::vector<std::string> documented_command() {
    std::ifstream page("docs/deploy/postgresql-and-redis.md");
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("ACL SETUSER consentry ")) continue;
        std::istringstream words(line);
        return {std::istream_iterator<std::string>(words), {}};
    }
    return {};
}

class DocumentedRedisUser : public StartRefusals {
protected:
    void SetUp() override {
        ASSERT_THAT(command_, testing::Contains(">PASSWORD"));
        create();
    }
    void create() const { ASSERT_EQ(redis_.command(0, command_), "OK"); }

    const std::vector<std::string> command_ = documented_command();
    const RealRedis redis_{{.user = "app"}};  // with this user, the server turns its default user off
    const std::string url_ = "redis://consentry:PASSWORD@127.0.0.1:" + std::to_string(redis_.node(0).port());
};

TEST_F(DocumentedRedisUser, HasAllRightsThatTheServiceUses) {
    const Settings settings = quick_settings({{"CACHE_URL", url_}, {"THROTTLE_LIMIT", "50"}});
    Person ada = make_person(folder.path(), "ada@example.org", "user", settings);
    const ServiceProcess service(folder.path(), settings);
    const HttpClient client = service.client();
    turn_two_factor_on(client, ada);
    // The second step takes the challenge of the first one out of Redis.
    const Answer login = verify_backup(client, challenge_of(client, ada), ada.backup_codes.at(0));
    EXPECT_EQ(knock(client, tokens_in(login).access), 200U);
    EXPECT_EQ(redis_.command(0, {"ACL", "LOG"}), "") << "Redis refused a command, possibly one that is not required";
}

TEST_F(DocumentedRedisUser, OPS_2_DoesNotSufficeWithoutOneOfItsRights) {
    const std::set<std::string> not_required{"+info", "+role", "+client|setname"};
    std::size_t required = 0;
    for (const std::string& right : command_) {
        if (!right.starts_with('+') || not_required.contains(right)) continue;
        SCOPED_TRACE(right);
        ++required;
        ASSERT_EQ(redis_.command(0, {"ACL", "SETUSER", "consentry", "-" + right.substr(1)}), "OK");
        expect_refused_start("CACHE_URL", url_, "lacks permission to run", url_);
        create();
    }
    EXPECT_GT(required, 0U);
}

TEST(FLT_1, WithoutRedisItStartsAndFindsItLater) {
    const RealRedis redis{};
    redis.node(0).kill();
    SharedFleet fleet(2, {{"CACHE_URL", redis.url()}});
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_THAT(fleet->at(i).program().err(), HasSubstr("CACHE_URL"));
        const Answer ready = fleet->client(i).get("/api/health/ready");
        EXPECT_EQ(ready.status, 200U);
        EXPECT_EQ(ready.text("data.details.cache.status"), "down");
    }
    const Person bob = fleet->make_person();
    const Person ada = fleet->make_protected_person();
    EXPECT_EQ(log_in(fleet->client(0), ada).status, 503U);
    redis.node(0).start();
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(eventually_before(deadline, [&] { return log_in(fleet->client(i), ada).status == 200U; })) << i;
}

}  // namespace
}  // namespace consentry::tests
