// `consentry migrate --from` moves a service from SQLite to PostgreSQL completely or not at all, and its users do not
// notice.
#include <csignal>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/eventually.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A folder after `consentry migrate` on SQLite, and an empty PostgreSQL schema.
class MigrateFrom : public ::testing::Test {
protected:
    MigrateFrom() { make_data(folder_.path()); }

    static Settings on_sqlite() { return quick_settings({{"AUTH_PASSWORD_MAX_ATTEMPT", "2"}}); }
    Settings on_postgres() const { return on_postgres(postgres_.url()); }
    static Settings on_postgres(const std::string& url) {
        Settings settings = on_sqlite();
        settings["DATABASE_URL"] = url;
        return settings;
    }
    Finished copy() const { return copy_from(file_); }
    Finished copy_from(const fs::path& file) const {
        return run_program({"migrate", "--from", "sqlite:" + file.string()}, folder_.path(), on_postgres());
    }
    void sqlite(const std::string& statement) const { run_sql(file_, statement); }

    std::vector<std::string> tables() const {
        std::vector<std::string> out;
        for (const auto& row : run_sql(file_,
                                       "SELECT name FROM sqlite_schema WHERE type = 'table' "
                                       "AND name <> 'schema_migrations' ORDER BY name"))
            out.push_back(row[0]);
        return out;
    }
    // Counts the rows of all tables, except tables that the schema itself fills and tables that do not exist yet.
    std::size_t rows_in_postgres() const {
        std::size_t rows = 0;
        for (const std::string& table : tables())
            if (table != "epochs" && table != "feature_flags" && table != "roles" &&
                !postgres_.sql("SELECT 1 WHERE to_regclass('" + table + "') IS NOT NULL").empty())
                rows += std::stoul(postgres_.sql("SELECT count(*) FROM " + table).at(0).at(0));
        return rows;
    }
    // Returns names and definitions of keys, foreign keys and indexes.
    SqlRows schema_of_postgres() const {
        return postgres_.sql("SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = '" +
                             postgres_.name() +
                             "'::regnamespace UNION ALL SELECT indexname, indexdef FROM pg_indexes " +
                             "WHERE schemaname = '" + postgres_.name() + "' ORDER BY 1, 2");
    }
    // Compares rows as text, in a representation that both databases share.
    void expect_same_rows(const std::string& table) const {
        std::string of_sqlite;
        std::string of_postgres;
        for (const auto& column :
             postgres_.sql("SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = '" +
                           postgres_.name() + "' AND table_name = '" + table + "' ORDER BY ordinal_position")) {
            const std::string& name = column[0];
            const bool is_bytes = column[1] == "bytea";
            const auto add = [&name](std::string& select, const std::string& value) {
                select += select.empty() ? "SELECT " : ", ";
                select += "CASE WHEN " + name + " IS NULL THEN 'none' ELSE " + value + " END";
            };
            add(of_sqlite, is_bytes ? "lower(hex(" + name + "))" : name);
            add(of_postgres, is_bytes                 ? "encode(" + name + ", 'hex')"
                             : column[1] == "boolean" ? name + "::integer::text"
                                                      : name + "::text");
        }
        auto expected = run_sql(file_, of_sqlite + " FROM " + table);
        auto found = postgres_.sql(of_postgres + " FROM " + table);
        std::ranges::sort(expected);
        std::ranges::sort(found);
        EXPECT_EQ(expected, found) << table;
    }
    void expect_refused(const Finished& ended, const std::string& reason, int code = 1) const {
        EXPECT_EQ(ended.code, code);
        EXPECT_THAT(ended.out, IsEmpty());
        EXPECT_THAT(ended.err, HasSubstr(reason));
        EXPECT_EQ(rows_in_postgres(), 0U);
    }
    // Inserts one user with this many former passwords, each a text of `size` bytes, directly into the tables.
    void add_user(int former_passwords = 0, int size = 80) const {
        sqlite(
            "INSERT INTO users (id, email, username, role, role_id, status, is_verified, sign_up_at, sign_up_from, "
            "sign_up_with, created_at, updated_at) VALUES ('" +
            user_ +
            "', 'ada@example.org', 'ada', 'user', '00000000-0000-7000-8000-000000000001', 'active', 1, 1, 'website', "
            "'credential', 1, 1)");
        sqlite("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
               std::to_string(former_passwords) +
               ") INSERT INTO password_history SELECT printf('00000000-0000-7000-8000-%012x', i), '" + user_ +
               "', hex(randomblob(" + std::to_string(size / 2) + ")), 'signUp', i, i FROM n WHERE " +
               std::to_string(former_passwords) + " > 0");
    }

    const std::string user_ = "01890000-0000-7000-8000-0000000000ab";

    // A row in each table that a few calls leave empty.
    void fill_other_tables() const {
        sqlite(
            "INSERT INTO identities (provider, subject, user_id, email, created_at) "
            "SELECT 'google', '42', id, email, created_at FROM users LIMIT 1");
        sqlite("INSERT INTO unlinked_identities SELECT id, 'google', '41', created_at, created_at FROM users LIMIT 1");
        sqlite("INSERT INTO spent_identity_tokens VALUES (x'0102', 1)");
        sqlite("INSERT INTO spent_forward_auth_codes VALUES (x'0102', 1)");
        sqlite("INSERT INTO password_kinds VALUES ('a kind', 1) ON CONFLICT (kind) DO NOTHING");
        sqlite(
            "INSERT INTO import_rows SELECT id, 0, id, 'gil@example.org', 'gil', NULL, role_id, status, is_verified, "
            "language, "
            "NULL, NULL, NULL, created_at FROM users LIMIT 1");
        sqlite(
            "INSERT INTO term_policies (id, type, version, status, revision, publishing_until, content_hashes, "
            "published_at, "
            "published_by, created_at, created_by, updated_at, updated_by) SELECT "
            "'01890000-0000-7000-8000-0000000000cd', 'privacy', 1, 'published', 2, "
            "NULL, "
            "'{}', created_at, id, created_at, id, created_at, NULL FROM users LIMIT 1");
        sqlite("INSERT INTO term_policy_contents SELECT id, 'en', 5, x'0102' FROM term_policies");
        sqlite("INSERT INTO loose_objects VALUES ('private', 'privacy', 1, 'en', 1, 0, NULL)");
        sqlite("INSERT INTO term_policy_announcements SELECT id, NULL, created_at FROM term_policies");
        sqlite(
            "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, version, "
            "language, content_hashes, accepted_at, ip_address, user_agent, session_id) SELECT u.id, u.id, p.type, 1, "
            "'accepted', p.id, p.version, 'en', "
            "'{}', 1, "
            "'192.0.2.1', 'Browser', NULL FROM users u, term_policies p LIMIT 1");
        sqlite("INSERT INTO log_entries SELECT id, 'consent', x'0102', x'0304', NULL FROM term_policy_acceptances");
        sqlite("INSERT OR REPLACE INTO log_subjects SELECT user_id, x'0506' FROM term_policy_acceptances");
        sqlite("INSERT INTO term_policy_diffs VALUES ('0a', 'privacy', 1, 2, 'en', '<p>A page</p>')");
        sqlite("INSERT INTO receipt_keys VALUES ('a kid', '{}', 1, x'07')");
    }

    const TempFolder folder_;
    const fs::path file_ = folder_ / "data" / "consentry.db";
    const PostgresSchema postgres_;
};

TEST_F(MigrateFrom, NobodyNoticesThatTheServiceMoved) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    const Person bob = make_person(folder_.path(), "bob@example.org", "admin");
    const Person eve = make_person(folder_.path(), "eve@example.org");
    EXPECT_EQ(run_program({"apikey", "create", "--name", "shop", "--type", "default"}, folder_.path(), {}).code, 0);
    TokenTexts of_bob;
    TokenTexts of_ada;
    {
        // Mails wait, because there is no server to accept them.
        Settings settings = on_sqlite();
        settings["MAIL_URL"] = "smtp://127.0.0.1:1?tls=none";
        ServiceProcess service(folder_.path(), settings);
        const HttpClient client = service.client();
        EXPECT_EQ(client
                      .post("/api/public/user/sign-up",
                            {{"email", "fay@example.org"}, {"password", "Velvet-Harbor-42"}, {"from", "website"}}, {})
                      .status,
                  201U);
        EXPECT_EQ(client.post("/api/public/user/password/forgot", {{"email", "nobody@example.org"}}, {}).status, 200U);
        of_bob = tokens_of(client, bob);
        turn_two_factor_on(client, ada);
        of_ada = tokens_in(verify_backup(client, log_in(client, ada).text("data.challengeToken"), ada.backup_codes[0]));
        for (const std::string& email : {eve.email, std::string("nobody@example.org")})
            for (int i = 0; i < 2; ++i) log_in(client, {.email = email, .password = "Wrong-Harbor-42"});
        EXPECT_EQ(log_in(client, eve).code_name(), "passwordAttemptMax");
        EXPECT_EQ(service.stop().code, 0);
    }

    fill_other_tables();
    const Finished copied = copy();
    ASSERT_EQ(copied.code, 0) << copied.err;
    EXPECT_THAT(copied.err, AllOf(HasSubstr("Stop the service"), HasSubstr("copied and compared")));
    EXPECT_THAT(tables(), Not(IsEmpty()));
    for (const std::string& table : tables()) {
        const std::size_t rows = run_sql(file_, "SELECT 1 FROM " + table).size();
        EXPECT_GT(rows, 0U) << table << ": nothing would be compared";
        EXPECT_THAT("\n" + copied.out, HasSubstr("\n" + table + "\t" + std::to_string(rows) + "\n"));
        expect_same_rows(table);
    }

    ServiceProcess service(folder_.path(), on_postgres());
    const HttpClient client = service.client();
    EXPECT_EQ(knock(client, of_ada.access), 200U);
    EXPECT_EQ(knock(client, of_bob.access), 200U);
    EXPECT_EQ(client.post("/api/shared/user/refresh", {}, bearer(of_bob.refresh)).status, 200U);
    EXPECT_EQ(log_in(client, eve).code_name(), "passwordAttemptMax");
    EXPECT_EQ(log_in(client, {.email = "nobody@example.org"}).code_name(), "passwordAttemptMax");
    const auto challenge = [&] { return log_in(client, ada).text("data.challengeToken"); };
    EXPECT_EQ(verify_backup(client, challenge(), ada.backup_codes[0]).status, 401U) << "spent before the move";
    EXPECT_EQ(verify_backup(client, challenge(), ada.backup_codes[1]).status, 200U);
    EXPECT_EQ(verify(client, challenge(), code_of(ada, 1)).status, 200U);
    EXPECT_EQ(service.stop().code, 0);
}

TEST_F(MigrateFrom, EveryKindOfValueArrivesAsItWas) {
    add_user(3);
    sqlite(
        "UPDATE users SET name = 'A\"d\\a'',\t' || char(10) || char(233) || char(128512), "
        "verified_at = -9223372036854775808, deleted_at = 9223372036854775807, last_login_from = ''");
    sqlite("INSERT INTO two_factors (user_id, enabled, required_setup, iv, secret, created_at, updated_at) VALUES ('" +
           user_ + "', 0, 1, X'', X'00FF0A5C', 1, 1)");
    const Finished copied = copy();
    ASSERT_EQ(copied.code, 0) << copied.err;
    for (const std::string& table : tables()) expect_same_rows(table);
}

TEST_F(MigrateFrom, ACopyHasTheSchemaOfAMigratedDatabase) {
    EXPECT_EQ(run_program({"migrate"}, folder_.path(), on_postgres()).code, 0);
    const SqlRows before = schema_of_postgres();
    EXPECT_THAT(before, Not(IsEmpty()));
    add_user(3);
    EXPECT_EQ(copy().code, 0);
    EXPECT_EQ(schema_of_postgres(), before);
    EXPECT_EQ(run_program({"migrate"}, folder_.path(), on_postgres()).code, 0);
}

// On another machine, which has had no installation.
TEST_F(MigrateFrom, OtherCommandsWorkOnTheCopyBeforeTheServiceHasStarted) {
    EXPECT_EQ(run_program({"user", "list"}, folder_.path(), on_sqlite()).code, 0) << "makes the keys";
    add_user();
    const TempFolder other;
    const Finished copied = run_program({"migrate", "--from", "sqlite:" + file_.string()}, other.path(), on_postgres());
    EXPECT_EQ(copied.code, 0) << copied.err;
    EXPECT_EQ(run_program({"user", "list"}, other.path(), on_postgres()).code, 2) << "the keys are missing";
    fs::copy(folder_ / "data/keys", other / "data/keys");
    const Finished listed = run_program({"user", "list"}, other.path(), on_postgres());
    EXPECT_EQ(listed.code, 0) << listed.err;
    EXPECT_THAT(listed.out, HasSubstr("ada@example.org"));
}

TEST_F(MigrateFrom, ADatabaseThatIsNotEmptyIsLeftAlone) {
    add_user();
    EXPECT_EQ(run_program({"migrate"}, folder_.path(), on_postgres()).code, 0);
    postgres_.sql("INSERT INTO unknown_logins (address_digest, attempt, updated_at) VALUES ('x', 1, 1)");
    const Finished refused = copy();
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("table unknown_logins has rows"), HasSubstr("Nothing was copied")));
    EXPECT_EQ(rows_in_postgres(), 1U);
}

// A service of the version before may use it, and could not start again.
TEST_F(MigrateFrom, AnOlderTargetIsNotUpgraded) {
    add_user();
    EXPECT_EQ(run_program({"migrate"}, folder_.path(), on_postgres()).code, 0);
    postgres_.sql("DELETE FROM schema_migrations WHERE number = (SELECT MAX(number) FROM schema_migrations)");
    const auto before = postgres_.sql("SELECT COUNT(*) FROM schema_migrations");
    expect_refused(copy(), "earlier version");
    EXPECT_EQ(postgres_.sql("SELECT COUNT(*) FROM schema_migrations"), before);
}

TEST_F(MigrateFrom, WrongUseAndSettingsAreToldBeforeAnythingIsOpened) {
    const auto refused = [&](const std::string& from, const Settings& settings, const std::string& names) {
        const Finished ended = run_program({"migrate", "--from", from}, folder_.path(), settings);
        EXPECT_EQ(ended.code, 2) << from;
        EXPECT_THAT(ended.err, HasSubstr(names)) << from;
    };
    const std::string from = "sqlite:" + file_.string();
    refused(from, on_sqlite(), "DATABASE_URL");
    refused(from, on_postgres("sqlite:other.db"), "DATABASE_URL");
    for (const char* address :
         {"", "sqlite:", "sqlite:file:data/consentry.db", "data/consentry.db", "postgresql://u:canary@localhost/x"})
        refused(address, on_postgres(), "--from");
    EXPECT_FALSE(fs::exists(folder_ / "other.db"));
    EXPECT_THAT(postgres_.sql("SELECT 1 FROM pg_tables WHERE schemaname = '" + postgres_.name() + "'"), IsEmpty());
}

TEST_F(MigrateFrom, OnlyADatabaseOfConsentrysIsCopied) {
    const fs::path missing = folder_ / "missing.db";
    expect_refused(copy_from(missing), "missing.db: file not found", 2);
    EXPECT_FALSE(fs::exists(missing));
    expect_refused(copy_from(folder_.path()), "file not found", 2);

    const fs::path text = folder_ / "text.db";
    std::ofstream(text) << std::string(4'096, 'x');
    expect_refused(copy_from(text), "text.db: file is not a database", 2);
    const fs::path empty = folder_ / "empty.db";
    std::ofstream{empty};
    expect_refused(copy_from(empty), "empty.db: not a Consentry database", 2);
    EXPECT_EQ(fs::file_size(empty), 0U);
    const fs::path foreign = folder_ / "foreign.db";
    run_sql(foreign, "CREATE TABLE schema_migrations (version TEXT)");
    expect_refused(copy_from(foreign), "foreign.db: not a Consentry database", 2);
    EXPECT_THAT(run_sql(foreign, "PRAGMA journal_mode"), Each(Each("delete"))) << "a foreign file is not changed";
}

TEST_F(MigrateFrom, ASchemaOfAnotherVersionIsRefused) {
    sqlite("INSERT INTO schema_migrations (number) VALUES (9999)");
    expect_refused(copy(), "a newer program is required", 2);
    sqlite(
        "DELETE FROM schema_migrations WHERE number IN (9999, (SELECT MAX(number) FROM schema_migrations "
        "WHERE number < 9999))");
    expect_refused(copy(), "`DATABASE_URL=sqlite:" + file_.string() + " consentry migrate`", 2);
}

TEST_F(MigrateFrom, WhatOnlyOneSideHasIsNamed) {
    add_user();
    sqlite("CREATE TABLE notes (id TEXT)");
    expect_refused(copy(), "table notes exists only in SQLite");
    postgres_.sql("CREATE TABLE notes (id TEXT PRIMARY KEY, more TEXT)");
    expect_refused(copy(), "column more of table notes exists only in PostgreSQL");
    sqlite("DROP TABLE notes");
    expect_refused(copy(), "table notes exists only in PostgreSQL");
    postgres_.sql("DROP TABLE notes");
    sqlite("ALTER TABLE users ADD COLUMN shoe_size BIGINT");
    expect_refused(copy(), "column shoe_size of table users exists only in SQLite");
}

TEST_F(MigrateFrom, WithoutAPlaceForTheDataFolderNothingIsCopied) {
    add_user(3);
    std::ofstream(folder_ / "notes") << "a file";
    Settings settings = on_postgres();
    settings["DATA_DIR"] = "notes/data";
    const Finished copied = run_program({"migrate", "--from", "sqlite:" + file_.string()}, folder_.path(), settings);
    expect_refused(copied, "consentry: DATA_DIR: ", 2);
    EXPECT_THAT(copied.err, HasSubstr("notes: Not a directory"));
    EXPECT_THAT(schema_of_postgres(), IsEmpty());
    for (const std::string& url : {postgres_.url(), std::string("sqlite:new.db")}) {
        settings["DATABASE_URL"] = url;
        const Finished migrated = run_program({"migrate"}, folder_.path(), settings);
        EXPECT_EQ(migrated.code, 2);
        EXPECT_THAT(migrated.err, HasSubstr("consentry: DATA_DIR: "));
    }
    EXPECT_THAT(schema_of_postgres(), IsEmpty());
    EXPECT_FALSE(fs::exists(folder_ / "new.db"));
}

TEST_F(MigrateFrom, AValueThatDoesNotFitStopsEverythingAndIsNotTold) {
    add_user(3);
    const struct {
        const char* set;
        const char* undo;
        std::string says;
    } cases[] = {
        {"name = CAST(X'63616E617279FF' AS TEXT)", "name = NULL", "column name is not valid UTF-8"},
        {"name = CAST(X'63616E61727900' AS TEXT)", "name = NULL", "column name contains a zero byte"},
        {"name = X'63616E617279'", "name = NULL", "column name is not text"},
        {"is_verified = 7", "is_verified = 1", "column is_verified is neither 0 nor 1"},
        {"verified_at = 'canary'", "verified_at = NULL", "column verified_at is not an integer"},
    };
    for (const auto& [set, undo, says] : cases) {
        sqlite(std::string("UPDATE users SET ") + set);
        const Finished refused = copy();
        expect_refused(refused, "table users, id " + user_);
        EXPECT_THAT(refused.err, AllOf(HasSubstr(says), HasSubstr("Nothing was copied"), Not(HasSubstr("canary"))));
        sqlite(std::string("UPDATE users SET ") + undo);
    }
    sqlite("INSERT INTO backup_codes (user_id, code_digest) VALUES ('" + user_ + "', 'canary')");
    const Finished refused = copy();
    expect_refused(refused, "table backup_codes, user_id " + user_);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("column code_digest is not a byte string"), Not(HasSubstr("canary"))));
    sqlite("UPDATE backup_codes SET user_id = 'canary', code_digest = X'00'");
    const Finished no_uuid = copy();
    expect_refused(no_uuid,
                   "table backup_codes, row 1 in key order: the value of column user_id is not a lowercase UUID");
    EXPECT_THAT(no_uuid.err, Not(HasSubstr("canary")));
    sqlite("DELETE FROM backup_codes");
    EXPECT_EQ(copy().code, 0) << "mended";
}

TEST_F(MigrateFrom, ARowWithoutItsUserIsRefusedByPostgres) {
    add_user(3);
    EXPECT_EQ(run_program({"migrate"}, folder_.path(), on_postgres()).code, 0);
    const SqlRows before = schema_of_postgres();
    sqlite("DELETE FROM users");  // this connection does not enforce foreign keys
    expect_refused(copy(), "password_history_user_id_fkey");
    EXPECT_EQ(schema_of_postgres(), before);
}

TEST_F(MigrateFrom, ACopyThatPostgresChangesIsNotKept) {
    add_user(3);
    EXPECT_EQ(run_program({"migrate"}, folder_.path(), on_postgres()).code, 0);
    postgres_.sql(
        "CREATE FUNCTION tamper() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN NEW.email = upper(NEW.email); RETURN NEW; END $$");
    postgres_.sql("CREATE TRIGGER tamper BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION tamper()");
    expect_refused(copy(), "table users: the rows in PostgreSQL differ");
    postgres_.sql("DROP TRIGGER tamper ON users");
    EXPECT_EQ(copy().code, 0);
}

// A copy over a link that hangs in the middle of the largest table, until the test lets it go on or breaks it.
class MigrateFromInterrupted : public MigrateFrom {
protected:
    MigrateFromInterrupted() {
        add_user(rows_, 1'800);
        EXPECT_EQ(run_program({"migrate"}, folder_.path(), on_postgres()).code, 0);
        link_.hang_after_request_bytes(256 * 1024);
        program_ = std::make_unique<Program>(std::vector<std::string>{"migrate", "--from", "sqlite:" + file_.string()},
                                             folder_.path(), on_postgres(with_port(postgres_.url(), link_.port())));
        EXPECT_TRUE(eventually([&] {
            return !postgres_
                        .sql(
                            "SELECT 1 FROM pg_stat_progress_copy p JOIN pg_class t ON t.oid = p.relid "
                            "WHERE t.relnamespace = '" +
                            postgres_.name() +
                            "'::regnamespace AND t.relname = 'password_history' AND p.tuples_processed BETWEEN 1 AND " +
                            std::to_string(rows_ - 1))
                        .empty();
        }));
    }
    void expect_whole_at_the_next_try() const {
        const Finished copied = copy();
        EXPECT_EQ(copied.code, 0) << copied.err;
        EXPECT_THAT(copied.out, HasSubstr("password_history\t" + std::to_string(rows_) + "\n"));
        EXPECT_EQ(rows_in_postgres(), static_cast<std::size_t>(rows_) + 1);
    }

    const int rows_ = 8'000;  // 15 MB: more than the buffers of the link take, so the program still reads them
    TcpProxy link_{port_of(postgres_.url())};
    std::unique_ptr<Program> program_;
};

TEST_F(MigrateFromInterrupted, KilledInTheMiddleItHasCopiedNothing) {
    program_->send(SIGKILL);
    EXPECT_EQ(program_->wait().signal, SIGKILL);
    link_.pass();  // PostgreSQL gets what the program had sent, and the end of the connection
    EXPECT_EQ(rows_in_postgres(), 0U);
    expect_whole_at_the_next_try();
}

TEST_F(MigrateFromInterrupted, ALostLinkIsToldAndNothingCopied) {
    link_.reset();
    EXPECT_EQ(program_->wait().code, 1);
    EXPECT_THAT(program_->err(), AllOf(HasSubstr("connection lost"), HasSubstr("Nothing was copied")));
    EXPECT_EQ(rows_in_postgres(), 0U);
    expect_whole_at_the_next_try();
}

TEST_F(MigrateFromInterrupted, ALostAnswerToTheLastStepIsNotTakenForAFailure) {
    link_.mute_when("COMMIT");
    EXPECT_EQ(program_->wait().code, 1);
    EXPECT_THAT(program_->err(),
                AllOf(HasSubstr("Either everything was copied or nothing"), Not(HasSubstr("Nothing was"))));
    EXPECT_EQ(rows_in_postgres(), static_cast<std::size_t>(rows_) + 1);
    EXPECT_THAT(copy().err, HasSubstr("is not empty"));
}

TEST_F(MigrateFromInterrupted, WhatIsWrittenMeanwhileIsNotPartOfIt) {
    sqlite("UPDATE users SET name = 'Meanwhile'");
    sqlite("DELETE FROM password_history WHERE created_at > 10");
    link_.pass();
    const ExitStatus ended = program_->wait();
    EXPECT_EQ(ended.code, 0) << program_->err();
    EXPECT_EQ(rows_in_postgres(), static_cast<std::size_t>(rows_) + 1);
    EXPECT_THAT(postgres_.sql("SELECT COALESCE(name, 'none') FROM users"), Each(Each("none")));
}

}  // namespace
}  // namespace consentry::tests
