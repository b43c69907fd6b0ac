// `consentry config check` finds what would make `serve` fail, and changes nothing (OPS-2).
#include <csignal>
#include <fstream>
#include <map>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "tests/process/without_root.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// Maps every path below a folder to its mode, modification time and digest, which reveal any change.
std::map<std::string, std::string> snapshot(const fs::path& folder) {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        struct stat facts{};
        EXPECT_EQ(::lstat(entry.path().c_str(), &facts), 0);
        std::string& state = out[entry.path().string()];
        state = std::to_string(facts.st_mode) + " " + std::to_string(facts.st_mtim.tv_sec) + "." +
                std::to_string(facts.st_mtim.tv_nsec) + " ";
        if (entry.is_regular_file()) state += to_hex(crypto::sha256(text_in(entry.path())));
    }
    return out;
}

Finished check(const fs::path& folder, Settings more = {}, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"config", "check"});
    return run_program(arguments, folder, quick_settings(std::move(more)));
}

// Returns once no thread of the program runs any more. SIGSTOP alone is only sent: one thread takes it and then tells
// the others, which go on until that reaches them, and write to files. The kernel reports the stop after the last one.
void pause(const Program& program) {
    program.send(SIGSTOP);
    siginfo_t report{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(program.pid()), &report, WSTOPPED | WEXITED | WNOWAIT), 0);
    ASSERT_EQ(report.si_code, CLD_STOPPED) << program.err();
}

// How `serve` ends. The unit of the package starts it again, but not after wrong settings.
constexpr int wrong_settings = 2;  // including the files that they name
constexpr int other_trouble = 1;   // with a server, a disk, an address or the data

// Expects that the check and `serve` report the same trouble. A check that disagrees with `serve` is worthless.
void expect_refused(const fs::path& folder, const Settings& settings, const std::string& setting,
                    const std::string& trouble, int code = wrong_settings) {
    const auto before = snapshot(folder);
    const Finished checked = check(folder, settings);
    EXPECT_EQ(checked.code, code) << checked.err;
    EXPECT_THAT(checked.err, AllOf(HasSubstr(setting + ": "), HasSubstr(trouble), HasSubstr("would not start"),
                                   HasSubstr("Nothing was changed")));
    EXPECT_EQ(checked.out, "");
    EXPECT_EQ(snapshot(folder), before);
    const Finished served = run_program({"serve"}, folder, quick_settings(settings));
    EXPECT_EQ(served.code, code) << served.err;
    EXPECT_THAT(served.err, HasSubstr(trouble));
}

TEST(ConfigCheck, OPS_2_WritesNothingInAnEmptyFolder) {
    const TempFolder folder;
    const Finished checked = check(folder.path());
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_THAT(checked.err, HasSubstr("Nothing was changed"));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    // Nor does the check create the folders of the log and of the document.
    EXPECT_EQ(check(folder.path(), {{"LOGGER_ENABLE", "true"}, {"LOGGER_INTO_FILE", "true"}}).code, 0);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ConfigCheck, OPS_2_WritesNothingBesideARunningServiceAndAfterACrash) {
    const TempFolder folder;
    const Person ada = make_person(folder.path(), "ada@example.org");
    {
        ServiceProcess service(folder.path());
        tokens_of(service.client(), ada);
        pause(service.program());  // a stopped service cannot cause changes
        const auto before = snapshot(folder.path());
        EXPECT_EQ(check(folder.path(), {}, {"--running"}).code, 0);
        EXPECT_EQ(snapshot(folder.path()), before);
        service.kill();
    }
    ASSERT_TRUE(fs::exists(folder / "data/consentry.db-wal")) << "the crash left its log";
    const auto crashed = snapshot(folder.path());
    const Finished checked = check(folder.path());
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_EQ(snapshot(folder.path()), crashed);
    fs::remove(folder / "data/consentry.db-shm");
    EXPECT_THAT(checked.err, Not(HasSubstr("DATABASE_URL")));
    const Finished copied = check(folder.path());
    EXPECT_EQ(copied.code, 0) << "the log alone, as a copy has it";
    EXPECT_THAT(copied.err, AllOf(HasSubstr("warning: DATABASE_URL: "), HasSubstr("consentry.db-shm is missing"),
                                  HasSubstr("not checked")));
    EXPECT_FALSE(fs::exists(folder / "data/consentry.db-shm"));
}

TEST(ConfigCheck, OPS_2_AnOlderSchemaStaysAsItIs) {
    const TempFolder folder;
    make_data(folder.path());
    const auto remembered = folder / "data/consentry.db";
    run_sql(remembered, "DELETE FROM schema_migrations WHERE number > 1");
    const auto before = snapshot(folder.path());
    EXPECT_EQ(check(folder.path()).code, 0) << "a start brings it up to date";
    EXPECT_EQ(snapshot(folder.path()), before);
}

TEST(ConfigCheck, OPS_2_WarnsOfALogThatCannotBeWritten) {
    const TempFolder folder;
    std::ofstream(folder / "logs") << "no folder";
    const Settings into_file{{"LOGGER_ENABLE", "true"}, {"LOGGER_INTO_FILE", "true"}};
    const Finished checked = check(folder.path(), into_file);
    EXPECT_EQ(checked.code, 0);
    EXPECT_THAT(checked.err, AllOf(HasSubstr("warning: LOGGER_INTO_FILE: "), HasSubstr("logs"),
                                   HasSubstr("; lines of the log are lost until it can be written")));
    EXPECT_EQ(ServiceProcess(folder.path(), quick_settings(into_file)).stop().code, 0) << "a start goes without it";
}

TEST(ConfigCheck, OPS_2_WarnsOfSecurityEventsThatCannotBeWritten) {
    const TempFolder folder;
    fs::create_directory(folder / "data");
    std::ofstream(folder / "data/security") << "no folder";
    const Finished checked = check(folder.path());
    EXPECT_EQ(checked.code, 0);
    EXPECT_THAT(checked.err, AllOf(HasSubstr("warning: DATA_DIR: "), HasSubstr("data/security"),
                                   HasSubstr("; security events are lost until they can be written")));
    EXPECT_EQ(ServiceProcess(folder.path()).stop().code, 0) << "a start goes without them";
    fs::remove(folder / "data/security");
    EXPECT_THAT(check(folder.path()).err, Not(HasSubstr("security events")));
}

TEST(ConfigCheck, OPS_2_FindsAnAddressThatCannotBeListenedOn) {
    const TempFolder folder;
    ServiceProcess other(folder.path());
    const std::string port = std::to_string(other.port());
    const TempFolder empty;
    expect_refused(empty.path(), {{"HTTP_PORT", port}}, "HTTP_PORT", "127.0.0.1:" + port + ": Address already in use",
                   other_trouble);
    expect_refused(empty.path(), {{"HTTP_HOST", "192.0.2.1"}}, "HTTP_PORT",
                   "192.0.2.1:0: Cannot assign requested address", other_trouble);
    expect_refused(empty.path(), {{"HTTP_HOST", "no-such-host.invalid"}}, "HTTP_PORT",
                   "no-such-host.invalid: host not found", other_trouble);
    const Finished running = check(folder.path(), {{"HTTP_PORT", port}}, {"--running"});
    EXPECT_EQ(running.code, 0) << running.err << "its own address is not a problem";
    const auto advice = HasSubstr(
        "If it is the service that you check, add --running. If a service manager holds the socket for the service, "
        "add --socket");
    EXPECT_THAT(check(empty.path(), {{"HTTP_PORT", port}}).err, advice);
    EXPECT_THAT(check(empty.path(), {{"HTTP_HOST", "192.0.2.1"}}).err, Not(advice)) << "would not help";
    const Finished passed = check(empty.path(), {{"HTTP_PORT", port}}, {"--socket"});
    EXPECT_EQ(passed.code, 0) << passed.err;
    EXPECT_EQ(check(empty.path(), {{"HTTP_PORT", port}, {"PAGES_LOGO", "missing.png"}}, {"--socket"}).code, 2)
        << "everything else is checked";
}

TEST(ConfigCheck, OPS_2_FindsADatabaseThatIsNewerOrNone) {
    const TempFolder folder;
    make_data(folder.path());
    const auto database = folder / "data/consentry.db";
    run_sql(database, "INSERT INTO schema_migrations (number, name, applied_at) VALUES (9999, 'of the future', 0)");
    expect_refused(folder.path(), {}, "DATABASE_URL", "the schema has version 9999", other_trouble);
    std::ofstream(database, std::ios::binary | std::ios::trunc) << std::string(8'192, 'x');
    expect_refused(folder.path(), {}, "DATABASE_URL", "file is not a database", other_trouble);
    fs::remove(database);
    fs::create_directory(database);
    expect_refused(folder.path(), {}, "DATABASE_URL", "Is a directory", other_trouble);
    expect_refused(folder.path(), {{"DATABASE_URL", "postgresql://app:Pass-phrase-77@127.0.0.1:1/app"}}, "DATABASE_URL",
                   "Connection refused", other_trouble);
}

// The former version could not start again.
TEST(ConfigCheck, AVersionThatWouldNotStartDoesNotUpgradeTheSchema) {
    const TempFolder folder;
    make_data(folder.path());
    const auto database = folder / "data/consentry.db";
    take_back_newest_migration(database);
    const TempFolder elsewhere;
    const ServiceProcess other(elsewhere.path());
    const auto version = [&] { return run_sql(database, "SELECT max(number) FROM schema_migrations").at(0).at(0); };
    const std::string before = version();
    for (const auto& [setting, value] : {std::pair<std::string, std::string>{"PAGES_DIR", "no-such-folder"},
                                         {"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", "garbage"},
                                         {"HTTP_PORT", std::to_string(other.port())}}) {
        const Finished served = run_program({"serve"}, folder.path(), quick_settings({{setting, value}}));
        EXPECT_EQ(served.code, setting == "HTTP_PORT" ? 1 : 2);
        EXPECT_THAT(served.err, AllOf(HasSubstr(setting + ": "), HasSubstr("the database was not upgraded")));
        EXPECT_EQ(version(), before) << setting;
    }
    std::ofstream(folder / "users.csv") << "email\nada@example.org\n";
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"user", "list"}, {"user", "import", "users.csv", "--dry-run"}, {"user", "import", "users.csv"}}) {
        const Finished refused = run_program(command, folder.path(), quick_settings());
        EXPECT_EQ(refused.code, 2) << command.back();
        EXPECT_THAT(refused.err, HasSubstr("the schema of the database is that of an earlier version"));
        EXPECT_EQ(version(), before) << command.back() << ": the running service may be of that version";
    }
    EXPECT_EQ(run_program({"migrate"}, folder.path(), quick_settings()).code, 0);
    EXPECT_EQ(run_program({"user", "list"}, folder.path(), quick_settings()).code, 0);
    EXPECT_NE(version(), before);
}

void replace_database(const fs::path& database, const fs::path& with) {
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(database.string() + ending);
    fs::copy_file(with, database);
}

// Others have seen entries that the database lacks: only the checkpoint in the object store knows of them.
TEST(ConfigCheck, OPS_2_FindsADatabaseThatIsOlderThanThePublishedLogAndLeavesItsSchema) {
    const TempFolder folder;
    const auto database = folder / "data/consentry.db";
    const auto publish_an_act_of = [&](const std::string& email) {
        make_person(folder.path(), email);
        EXPECT_EQ(run_program({"clean-up"}, folder.path(), quick_settings()).code, 0);
    };
    make_data(folder.path());
    fs::copy_file(database, folder / "without-log.db");
    publish_an_act_of("ada@example.org");
    fs::copy_file(database, folder / "with-log.db");
    publish_an_act_of("bob@example.org");
    for (const auto& [copy, entries] : {std::pair{"without-log.db", "0"}, {"with-log.db", "1"}}) {
        SCOPED_TRACE(copy);
        const std::string trouble =
            std::string("The published log has 2 entries, but the one in the database only ") + entries;
        replace_database(database, folder / copy);
        expect_refused(folder.path(), {}, "DATABASE_URL", trouble, other_trouble);

        replace_database(database, folder / copy);
        take_back_newest_migration(database);
        const auto version = [&] { return run_sql(database, "SELECT max(number) FROM schema_migrations").at(0).at(0); };
        const std::string before = version();
        expect_refused(folder.path(), {}, "DATABASE_URL", trouble, other_trouble);
        EXPECT_EQ(version(), before) << "the version before would not start again";
    }
    fs::remove(database);
    expect_refused(folder.path(), {}, "DATABASE_URL", "but the one in the database only 0", other_trouble);
}

TEST(ConfigCheck, OPS_2_FindsLogsThatAreDamagedOrOfAnotherInstallation) {
    const TempFolder folder;
    make_person(folder.path(), "ada@example.org");
    ASSERT_EQ(run_program({"clean-up"}, folder.path(), quick_settings()).code, 0);
    ASSERT_EQ(check(folder.path()).code, 0);
    const auto spoil = [&](const fs::path& file, const std::string& text) {
        const std::string former = text_in(file);
        std::ofstream(file, std::ios::trunc) << text;
        return [=] { std::ofstream(file, std::ios::trunc) << former; };
    };
    const fs::path files = folder / "data/storage";
    const TempFolder another;
    make_person(another.path(), "bob@example.org");
    ASSERT_EQ(run_program({"clean-up"}, another.path(), quick_settings()).code, 0);
    for (const std::string& log : {"public/consent-log/checkpoint", "private/administration-log/checkpoint"})
        for (const std::string& note : {std::string("nonsense"), text_in(another / "data/storage" / log)}) {
            const auto restore = spoil(files / log, note);
            expect_refused(folder.path(), {}, "STORAGE_URL", "The published checkpoint is not one of this log",
                           other_trouble);
            restore();
        }
    const auto restore = spoil(files / "private/receipt-keys/former.json", "nonsense");
    expect_refused(folder.path(), {}, "STORAGE_URL", "private object receipt-keys/former.json is damaged",
                   other_trouble);
    restore();
    EXPECT_EQ(check(folder.path()).code, 0);
    const auto database = folder / "data/consentry.db";
    fs::copy_file(database, folder / "whole.db");
    for (const char* damage : {"edge = x'00'", "checkpoint = 'nonsense'", "verifier_key = 'nonsense'",
                               "published = published + 1", "size = 0, published = 0, edge = x''"}) {
        SCOPED_TRACE(damage);
        replace_database(database, folder / "whole.db");
        run_sql(database, std::string("UPDATE logs SET ") + damage + " WHERE name = 'administration'");
        expect_refused(folder.path(), {}, "DATABASE_URL", "Restore it from a backup", other_trouble);
    }
}

TEST(ConfigCheck, OPS_2_FindsADataFolderThatCannotBeWrittenTo) {
    const TempFolder folder;
    std::ofstream(folder / "data") << "a file";
    expect_refused(folder.path(), {}, "DATA_DIR", "data: Not a directory");
    fs::remove(folder / "data");
    fs::create_symlink("volume", folder / "data");  // which is not there yet
    expect_refused(folder.path(), {}, "DATA_DIR", "data: No such file or directory");
    fs::remove(folder / "data");
    std::ofstream(folder / "mail") << "a file";
    expect_refused(folder.path(), {{"MAIL_URL", "file:mail/out"}}, "MAIL_URL", "Not a directory");
    expect_refused(folder.path(), {{"STORAGE_URL", "file:mail/objects"}}, "STORAGE_URL", "Not a directory");
}

// The unit of the package would start the service again every second.
TEST(ConfigCheck, OPS_2_APlaceThatTheServiceMayNotUseIsAWrongSetting) {
    const TempFolder locked;
    fs::permissions(locked.path(), fs::perms::none);
    const std::string place = (locked / "x").string();
    for (const auto& [setting, value] : Settings{{"DATA_DIR", place},
                                                 {"DATABASE_URL", "sqlite:" + place + ".db"},
                                                 {"STORAGE_URL", "file:" + place},
                                                 {"MAIL_URL", "file:" + place}}) {
        const TempFolder folder;
        const CommandResult served = run_without_root({"serve"}, folder.path(), quick_settings({{setting, value}}));
        EXPECT_EQ(served.code, wrong_settings) << setting;
        EXPECT_THAT(served.err, AllOf(HasSubstr("consentry: " + setting + ": "), HasSubstr("Permission denied")));
    }
    fs::permissions(locked.path(), fs::perms::owner_all);
}

// The folder may be as it should be, and one in it not.
TEST(ConfigCheck, OPS_2_APartOfTheObjectStoreThatTheServiceMayNotUseIsAWrongSetting) {
    const TempFolder folder;
    const auto run = [&](const std::vector<std::string>& arguments) {
        return run_without_root(arguments, folder.path(), quick_settings());
    };
    ASSERT_EQ(run({"migrate"}).code, 0);
    ASSERT_EQ(run({"clean-up"}).code, 0);
    const auto database = folder / "data/consentry.db";
    const auto version = [&] { return run_sql(database, "SELECT max(number) FROM schema_migrations").at(0).at(0); };
    const auto expect_wrong = [&](const fs::path& part, const std::string& trouble) {
        const std::string before = version();
        for (const std::vector<std::string>& command : {std::vector<std::string>{"config", "check"}, {"serve"}}) {
            const CommandResult refused = run(command);
            EXPECT_EQ(refused.code, wrong_settings) << command.front() << " " << part;
            EXPECT_THAT(refused.err, AllOf(HasSubstr("STORAGE_URL: "), HasSubstr(part.filename().string() + trouble)));
        }
        EXPECT_EQ(version(), before);
    };
    const auto expect_each_wrong = [&] {
        for (const char* name : {"private", "public", "unfinished"}) {
            const fs::path part = folder / "data/storage" / name;
            fs::permissions(part, fs::perms::none);
            expect_wrong(part, ": Permission denied");
            fs::permissions(part, fs::perms::owner_all);
            fs::rename(part, folder / "elsewhere");
            fs::create_directory_symlink(folder / "elsewhere", part);
            expect_wrong(part, " is a symbolic link");
            fs::remove(part);
            std::ofstream(part) << "a file";
            expect_wrong(part, ": Not a directory");
            fs::remove(part);
            fs::rename(folder / "elsewhere", part);
        }
    };
    expect_each_wrong();
    const fs::path all = folder / "data/storage";
    fs::permissions(all, fs::perms::owner_write | fs::perms::owner_exec);
    expect_wrong(all, ": Permission denied");
    fs::permissions(all, fs::perms::owner_all);
    EXPECT_EQ(run({"config", "check"}).code, 0);
    take_back_newest_migration(database);
    expect_each_wrong();
}

// As if an operator or a container had mounted the keys: the folder is theirs to protect.
TEST(ConfigCheck, OPS_2_KeysInAFolderOfAnotherAccountServe) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another account";
    const TempFolder folder;
    const auto run = [&](const std::vector<std::string>& arguments) {
        return run_without_root(arguments, folder.path(), quick_settings());
    };
    ASSERT_EQ(run({"migrate"}).code, 0);
    ASSERT_EQ(run({"clean-up"}).code, 0) << "makes the keys";
    ASSERT_EQ(::chown((folder / "data/keys").c_str(), 0, 0), 0);
    fs::permissions(folder / "data/keys", fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
    EXPECT_EQ(run({"config", "check"}).code, 0);
    EXPECT_EQ(run({"clean-up"}).code, 0);
}

TEST(ConfigCheck, OPS_2_ADatabaseThatTheServiceMayNotWriteToIsAWrongSetting) {
    const TempFolder folder;
    EXPECT_EQ(run_without_root({"migrate"}, folder.path(), quick_settings()).code, 0);
    fs::permissions(folder / "data/consentry.db", fs::perms::owner_read);
    const CommandResult served = run_without_root({"serve"}, folder.path(), quick_settings());
    EXPECT_EQ(served.code, wrong_settings);
    EXPECT_THAT(served.err, AllOf(HasSubstr("consentry: DATABASE_URL: "), HasSubstr("Permission denied")));
}

TEST(ConfigCheck, SaysWhyAFileOfSettingsCannotBeRead) {
    const TempFolder folder;
    const std::string file = (folder / "own.env").string();
    std::ofstream(file) << "APP_NAME=Shop\n";
    fs::permissions(file, fs::perms::none);
    const auto run = [&](const std::vector<std::string>& arguments) {
        std::vector<std::string> all{"--env-file", file};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run_without_root(all, folder.path(), quick_settings());
    };
    const CommandResult denied = run({"config", "check"});
    EXPECT_EQ(denied.code, wrong_settings);
    EXPECT_THAT(denied.err, AllOf(HasSubstr(file + ": cannot be read: Permission denied"), Not(HasSubstr("line")),
                                  HasSubstr("as root or as the account of the service")));
    const CommandResult doctor = run({"doctor"});
    EXPECT_EQ(doctor.code, 1);
    EXPECT_THAT(doctor.out, AllOf(HasSubstr("Permission denied"), Not(HasSubstr("line"))));
    fs::remove(file);
    fs::create_directory(file);
    EXPECT_THAT(run({"config", "check"}).err,
                AllOf(HasSubstr("cannot be read: Is a directory"), Not(HasSubstr("root"))));
}

TEST(ConfigCheck, OPS_2_FindsKeysThatCannotBeRead) {
    const TempFolder folder;
    {
        ServiceProcess service(folder.path());
        service.stop();
    }
    std::ofstream(folder / "data/keys/two-factor.key", std::ios::trunc) << "short";
    expect_refused(folder.path(), {}, "DATA_DIR", "two-factor.key is damaged", other_trouble);
    const TempFolder other;
    expect_refused(other.path(), {{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", "c2VjcmV0"}},
                   "AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", "not a private key (PKCS#8) in DER");
    expect_refused(other.path(), {{"CONSENT_LOG_PRIVATE_KEY", "c2VjcmV0"}}, "CONSENT_LOG_PRIVATE_KEY",
                   "not a private key (PKCS#8) in DER");
}

TEST(ConfigCheck, OPS_2_FindsFilesThatSettingsNameAndNobodyHas) {
    const TempFolder folder;
    const Settings mail{{"MAIL_URL", "smtp://127.0.0.1:1"}, {"MAIL_CA_FILE", "missing.pem"}};
    expect_refused(folder.path(), mail, "MAIL_URL", "MAIL_CA_FILE) does not exist");
    expect_refused(folder.path(), {{"CONSENT_LOG_WITNESSES", "missing.txt"}}, "CONSENT_LOG_WITNESSES",
                   "cannot read missing.txt");
    expect_refused(folder.path(),
                   {{"CONSENT_LOG_TIMESTAMP_URL", "https://tsa.example.com"}, {"CONSENT_LOG_CA_FILE", "missing.pem"}},
                   "CONSENT_LOG_CA_FILE", "the file does not exist");
    for (const char* client : {"AUTH_SOCIAL_GOOGLE_CLIENT_ID", "AUTH_SOCIAL_APPLE_CLIENT_ID"})
        for (const char* file : {"missing.pem", "data"})
            expect_refused(folder.path(), {{client, "shop"}, {"AUTH_SOCIAL_CA_FILE", file}}, "AUTH_SOCIAL_CA_FILE",
                           "the file does not exist");
    EXPECT_EQ(check(folder.path(), {{"AUTH_SOCIAL_CA_FILE", "missing.pem"}}).code, 0) << "unused";
    expect_refused(folder.path(), {{"CACHE_URL", "rediss://127.0.0.1:1?ca_file=missing.pem"}}, "CACHE_URL",
                   "ca_file cannot be loaded");
}

TEST(ConfigCheck, OPS_2_FindsAKeyThatARunningServiceHasLost) {
    const TempFolder folder;
    const ServiceProcess service(folder.path());
    const auto check_running = [&] { return check(folder.path(), {}, {"--running"}); };
    EXPECT_EQ(check_running().code, 0);
    for (const auto& file : fs::directory_iterator(folder / "data/keys"))
        if (file.path().filename().string().starts_with("refresh-")) fs::remove(file.path());
    const Finished checked = check_running();
    EXPECT_EQ(checked.code, 1);
    EXPECT_THAT(checked.err, HasSubstr("DATA_DIR: no key for refresh tokens in "));
    EXPECT_EQ(check(folder.path(), {}, {"--socket"}).code, 0) << "a start would make another";
}

TEST(ConfigCheck, OPS_2_FindsPagesThatCannotBeShown) {
    const TempFolder folder;
    expect_refused(folder.path(), {{"PAGES_LOGO", "missing.png"}}, "PAGES_LOGO", "cannot read missing.png");
    fs::create_directory(folder / "pages");
    std::ofstream(folder / "pages/login.html") << "{{nope}}";
    expect_refused(folder.path(), {{"PAGES_DIR", "pages"}}, "PAGES_DIR", "login.html, line 1: ");
    EXPECT_EQ(check(folder.path(), {{"PAGES_DIR", "pages"}, {"PAGES_ENABLE", "false"}}).code, 0);
    const Finished without_place = check(folder.path(), {{"TMPDIR", (folder / "missing").string()}});
    EXPECT_EQ(without_place.code, 0);
    EXPECT_THAT(without_place.err, HasSubstr("warning: PAGES_DIR: "));
    EXPECT_THAT(without_place.err, HasSubstr("; the pages were not checked"));
}

// It is no place that the service writes to.
TEST(ConfigCheck, OPS_2_TooLittleRoomForTemporaryFilesPreventsNoStart) {
    const TempFolder folder;
    std::vector<std::string> words{"env", "-i", "-C", folder.path().string()};
    for (const auto& [name, value] : quick_settings()) words.push_back(name + "=" + value);
    for (const char* word : {"/bin/sh", "-c", "ulimit -f 100; exec \"$0\" config check", CONSENTRY_PROGRAM})
        words.emplace_back(word);
    const CommandResult checked = run_command(words);
    EXPECT_EQ(checked.code, 0);
    EXPECT_THAT(checked.err, AllOf(HasSubstr("warning: PAGES_DIR: "), HasSubstr("; the pages were not checked"),
                                   Not(HasSubstr("DATABASE_URL"))));
}

TEST(ConfigCheck, OPS_2_FindsALogThatTheseSettingsCannotContinue) {
    const TempFolder folder;
    {
        ServiceProcess service(folder.path());
        service.stop();
    }
    EXPECT_EQ(check(folder.path()).code, 0);
    expect_refused(folder.path(), {{"CONSENT_LOG_ORIGIN", "another.example"}}, "CONSENT_LOG_ORIGIN",
                   "A log keeps its origin");
    const fs::path key = folder / "data/keys/consent-log.key";
    fs::remove(key);
    const Finished missing = check(folder.path());
    EXPECT_EQ(missing.code, 2);
    EXPECT_THAT(missing.err, HasSubstr("DATA_DIR: ./data/keys/consent-log.key is missing"));
    EXPECT_EQ(run_program({"serve"}, folder.path(), quick_settings({})).code, 2);
    EXPECT_FALSE(fs::exists(key)) << "another key does not continue the log";
    std::ofstream(key) << to_base64url(Bytes(32, 7));
    const Finished other = check(folder.path());
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.err, HasSubstr("CONSENT_LOG_PRIVATE_KEY: not the key of the log in this database"));
    EXPECT_EQ(run_program({"serve"}, folder.path(), quick_settings({})).code, 2);
}

TEST(ConfigCheck, OPS_2_FindsAKeyUnderTheIdOfAnother) {
    const TempFolder folder;
    {
        ServiceProcess service(folder.path());
        EXPECT_EQ(service.client().get("/.well-known/consent-log").status, 200U);  // which names the key
        service.stop();
    }
    EXPECT_EQ(check(folder.path()).code, 0);
    run_sql(folder / "data/consentry.db", "UPDATE receipt_keys SET jwk = '{}'");
    expect_refused(folder.path(), {}, "AUTH_JWT_ACCESS_TOKEN_KID",
                   "receipts have been signed with another key of the ID");
}

TEST(ConfigCheck, OPS_2_FindsPrivateFilesThatOthersCanRead) {
    const TempFolder folder;
    {
        ServiceProcess service(folder.path());
        service.stop();
    }
    const fs::path files = folder / "data/storage/private";
    ASSERT_TRUE(fs::exists(files));
    fs::permissions(files, fs::perms::owner_all | fs::perms::group_read);
    expect_refused(folder.path(), {}, "STORAGE_URL", "is accessible to other users; run chmod 700 on it");
}

TEST(ConfigCheck, CRY_7_AStartWarnsOfADatabaseThatMayBeSpokenToInPlainText) {
    const TempFolder folder;
    const auto told = [&](const std::string& address) {
        const Finished served = run_program({"serve"}, folder.path(), quick_settings({{"DATABASE_URL", address}}));
        EXPECT_EQ(served.code, 1) << "there is no such server";
        std::size_t count = 0;
        const std::string_view warning = "warning: DATABASE_URL: allows unencrypted connections";
        for (auto at = served.err.find(warning); at != std::string::npos; at = served.err.find(warning, at + 1))
            ++count;
        return count;
    };
    EXPECT_EQ(told("postgresql://app@no-such-host.invalid/app"), 1U);
    EXPECT_EQ(told("postgresql://app@no-such-host.invalid/app?sslmode=prefer"), 1U);
    EXPECT_EQ(told("postgresql://app@no-such-host.invalid/app?sslmode=verify-full"), 0U);
    EXPECT_EQ(told("postgresql://app@127.0.0.1:1/app"), 0U);
}

// The settings that `config check --json` names.
struct Named {
    int code;
    std::vector<std::string> problems, warnings;
};
Named check_as_json(const fs::path& folder, const Settings& settings, std::vector<std::string> before = {}) {
    before.insert(before.end(), {"config", "check", "--json"});
    const Finished checked = run_program(before, folder, quick_settings(settings));
    EXPECT_EQ(checked.err, "") << "nothing is told twice";
    const auto found = boost::json::parse(checked.out).as_object();
    const auto names = [&](std::string_view list) {
        std::vector<std::string> out;
        for (const auto& one : found.at(list).as_array()) out.emplace_back(one.at("setting").as_string());
        return out;
    };
    EXPECT_EQ(found.at("valid"), names("problems").empty());
    return {.code = checked.code, .problems = names("problems"), .warnings = names("warnings")};
}

TEST(ConfigCheck, OPS_2_JsonHasEveryProblemAndWarning) {
    const TempFolder folder;
    const auto refused = [&](const Settings& settings, std::vector<std::string> before = {}) {
        const Named found = check_as_json(folder.path(), settings, std::move(before));
        EXPECT_EQ(found.code, 2);
        return found.problems;
    };
    EXPECT_THAT(refused({{"HTTP_PORT", "abc"}, {"HTTP_PROT", "1"}}), UnorderedElementsAre("HTTP_PORT", "HTTP_PROT"));
    EXPECT_THAT(refused({}, {"--env-file", "none.env"}), ElementsAre("--env-file"));
    EXPECT_THAT(refused({{"PAGES_LOGO", "missing.png"}}), ElementsAre("PAGES_LOGO"));
    std::ofstream(folder / ".env") << "HTTP_HOST=127.0.0.1\nno setting\n";
    EXPECT_THAT(refused({}), ElementsAre(".env"));
    fs::remove(folder / ".env");
    const Named fine = check_as_json(folder.path(), {{"SMTP_PORT", "25"}, {"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}});
    EXPECT_EQ(fine.code, 0);
    EXPECT_THAT(fine.problems, ElementsAre());
    EXPECT_THAT(fine.warnings, IsSupersetOf({"SMTP_PORT", "MAIL_URL"})) << "of a name and of a server";
}

TEST(ConfigCheck, OPS_2_NamesEverythingAtOnce) {
    const TempFolder folder;
    std::ofstream(folder / "data") << "a file";
    const Finished checked = check(folder.path(), {{"DATABASE_URL", "postgresql://app:Pass-phrase-77@127.0.0.1:1/app"},
                                                   {"CACHE_URL", "redis://127.0.0.1:1"},
                                                   {"MAIL_URL", "smtp://127.0.0.1:1?tls=none"},
                                                   {"HTTP_HOST", "192.0.2.1"}});
    EXPECT_EQ(checked.code, 2);
    for (const char* finding :
         {"\nDATA_DIR: ", "\nDATABASE_URL: ", "\nHTTP_PORT: ", "warning: CACHE_URL: ", "warning: MAIL_URL: "})
        EXPECT_THAT("\n" + checked.err, HasSubstr(finding));
    EXPECT_THAT(checked.err, Not(HasSubstr("phrase-77")));
}

}  // namespace
}  // namespace consentry::tests
