// consentry backup and restore, beside a running service and without one.
#include <atomic>
#include <fstream>
#include <stop_token>
#include <thread>

#include <sys/stat.h>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "tests/process/terminal.hpp"
#include "tests/process/without_root.hpp"
#include "tests/support/files.hpp"
#include "tests/support/instrumented.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Backup : public ::testing::Test {
protected:
    Finished run(std::vector<std::string> arguments) const {
        return run_program(arguments, folder_.path(), quick_settings());
    }
    void move_data_away() const { fs::rename(folder_ / "data", folder_ / ("former-" + std::to_string(moved_++))); }
    // The signed checkpoint of the log, as verifiers see it: its second line is the number of entries.
    static std::int64_t entries_of_log(const HttpClient& client) {
        const std::string checkpoint = client.get("/consent-log/checkpoint").body;
        const auto begin = checkpoint.find('\n') + 1;
        return std::stoll(checkpoint.substr(begin, checkpoint.find('\n', begin) - begin));
    }
    // Publishes a policy and accepts it, so that the logs have entries.
    void publish(std::int64_t version) const {
        const fs::path texts = folder_ / ("texts-" + std::to_string(version)) / "privacy" / std::to_string(version);
        fs::create_directories(texts);
        std::ofstream(texts / "en.hbs") << "<p>Version " << version << "</p>\n";
        EXPECT_EQ(run({"policy", "import", texts.parent_path().parent_path().string()}).code, 0);
        EXPECT_EQ(run({"policy", "publish", "privacy", std::to_string(version)}).code, 0);
        EXPECT_EQ(run({"clean-up"}).code, 0) << "publishes the log";
    }
    const TempFolder folder_;

private:
    mutable int moved_ = 0;
};

TEST_F(Backup, ComesBackWholeWithFilesAndKeys) {
    const Person ada = make_person(folder_.path(), "ada@example.org");
    publish(1);
    {
        const ServiceProcess service(folder_.path());
        const Finished made = run({"backup", "copy", "--with-keys", "--json"});
        ASSERT_EQ(made.code, 0) << made.err;
        const auto facts = json::parse(made.out);
        EXPECT_EQ(facts.at("hasKeys"), true);
        EXPECT_GT(facts.at("files").as_int64(), 5);
    }
    struct stat mode{};
    ASSERT_EQ(::stat((folder_ / "copy/consentry.db").c_str(), &mode), 0);
    EXPECT_EQ(mode.st_mode & 07777U, 0600U);
    ASSERT_EQ(::stat((folder_ / "copy").c_str(), &mode), 0);
    EXPECT_EQ(mode.st_mode & 07777U, 0700U);
    EXPECT_EQ(
        run_command({"sh", "-c", "cd '" + (folder_ / "copy").string() + "' && sha256sum --check --quiet SHA256SUMS"})
            .code,
        0)
        << "others can check it, too";

    move_data_away();
    const Finished checked = run({"restore", "copy", "--check", "--json"});
    EXPECT_EQ(checked.code, 0);
    EXPECT_EQ(json::parse(checked.out).at("restored"), false);
    EXPECT_FALSE(fs::exists(folder_ / "data"));
    const Finished restored = run({"restore", "copy", "--json"});
    EXPECT_EQ(restored.code, 0) << restored.err;
    EXPECT_EQ(json::parse(restored.out).at("restored"), true);
    EXPECT_THAT(restored.err, AllOf(HasSubstr("keys epoch raise"), Not(HasSubstr("migrate"))));
    const Finished again = run({"restore", "copy", "--json"});
    EXPECT_EQ(again.code, 2);
    EXPECT_EQ(json::parse(again.out).at("restored"), false) << "there are data";
    EXPECT_EQ(json::parse(again.out).at("hasKeys"), true) << "what the backup has is known all the same";
    EXPECT_EQ(run({"keys", "epoch", "raise"}).code, 0);
    const ServiceProcess service(folder_.path());
    EXPECT_EQ(log_in(service.client(), ada).status, 200U);
    EXPECT_THAT(run({"policy", "list"}).out, HasSubstr("privacy\t1\tlatest"));
    EXPECT_EQ(run({"verify", "database"}).code, 0) << "with its texts and its log";
    publish(2);
}

TEST_F(Backup, WhoeverWaitsAtATerminalSeesHowMuchIsDone) {
    make_person(folder_.path(), "ada@example.org");
    const auto shown = [&](const std::vector<std::string>& arguments) {
        Terminal terminal(arguments, folder_.path(), quick_settings({{"NO_COLOR", "1"}}));
        const auto [screen, code] = terminal.end();
        EXPECT_EQ(code, 0) << screen;
        return screen;
    };
    const auto a_bar = [](const std::string& text) {
        return AllOf(HasSubstr("%  " + text), AnyOf(HasSubstr("[#"), HasSubstr("[-")));
    };
    EXPECT_EQ(run({"clean-up"}).code, 0) << "publishes the log, which is still empty";
    EXPECT_THAT(shown({"verify", "database"}), HasSubstr("comparing rows"));
    publish(1);
    EXPECT_THAT(shown({"verify", "database"}), a_bar("comparing the published log"));
    EXPECT_THAT(shown({"log", "verify", "admin"}), a_bar("comparing"));
    EXPECT_THAT(shown({"consent", "export", "--out", "log.zip"}), a_bar(""));
    EXPECT_THAT(shown({"backup", "copy"}),
                AllOf(a_bar("copying files"), a_bar("copying the database"), a_bar("reading the copy")));
    move_data_away();
    EXPECT_THAT(shown({"restore", "copy", "--check"}), a_bar("checking the backup"));
    EXPECT_THAT(shown({"restore", "copy"}), a_bar("restoring"));
}

TEST_F(Backup, OfFilesIsNotRestoredWhereTheStoreIsS3WithoutThem) {
    make_person(folder_.path(), "ada@example.org");
    ASSERT_EQ(run({"backup", "copy"}).code, 0);
    move_data_away();
    Settings s3 = quick_settings();
    s3.insert({{"STORAGE_URL", "s3://files.example.com"},
               {"AWS_S3_IAM_CREDENTIAL_KEY", "AKIAIOSFODNN7EXAMPLE"},
               {"AWS_S3_IAM_CREDENTIAL_SECRET", "not-a-secret"},
               {"AWS_S3_PRIVATE_BUCKET", "drafts"},
               {"AWS_S3_PUBLIC_BUCKET", "published"}});
    const Finished refused = run_program({"restore", "copy"}, folder_.path(), s3);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.out, HasSubstr("restored\tno\n"));
    EXPECT_THAT(refused.err, AllOf(HasSubstr("copy/storage/private"), HasSubstr("drafts and published"),
                                   HasSubstr("--database-only; nothing was changed")));
    EXPECT_FALSE(fs::exists(folder_ / "data" / "consentry.db"));
    EXPECT_EQ(run_program({"restore", "copy", "--database-only"}, folder_.path(), s3).code, 0);
    EXPECT_TRUE(fs::exists(folder_ / "data" / "consentry.db"));
}

// Root exports into a folder of root, and the command acts as the owner of the data otherwise.
TEST_F(Backup, ABundleGoesWhereverItsCallerMayWrite) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root is somebody else than the owner of the data";
    if (instrumented) GTEST_SKIP() << "the leak checker cannot look into a process that has become another account";
    make_person(folder_.path(), "ada@example.org");
    publish(1);
    fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_exec);
    ASSERT_EQ(::chown((folder_ / "data").c_str(), nobody, nobody), 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "data"))
        ASSERT_EQ(::lchown(entry.path().c_str(), nobody, nobody), 0);
    const TempFolder of_root;
    const std::string out = (of_root / "log.zip").string();
    const Finished off = run_program({"consent", "export", "--out", out}, folder_.path(),
                                     quick_settings({{"CONSENT_LOG_ENABLE", "false"}}));
    EXPECT_EQ(off.code, 2) << off.err;
    EXPECT_TRUE(fs::is_empty(of_root.path()));
    const Finished exported = run({"consent", "export", "--out", out});
    EXPECT_EQ(exported.code, 0) << exported.err;
    struct stat facts{};
    ASSERT_EQ(::stat(out.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_uid, 0U);
    EXPECT_EQ(facts.st_mode & 07777U, 0600U);
    EXPECT_EQ(std::distance(fs::directory_iterator(of_root.path()), {}), 1);
    EXPECT_TRUE(text_in(out).starts_with("PK")) << "a ZIP archive";
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "data")) {
        ASSERT_EQ(::lstat(entry.path().c_str(), &facts), 0);
        EXPECT_EQ(facts.st_uid, nobody) << entry.path();
    }
}

// The folder of the data or of the database may have been moved away as a whole.
TEST_F(Backup, WhatRootRestoresBelongsToTheOwnerOfTheFolderAround) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root is somebody else than the owner of the data";
    make_person(folder_.path(), "ada@example.org");
    ASSERT_EQ(run({"backup", "copy", "--with-keys"}).code, 0);
    ASSERT_EQ(::chown(folder_.path().c_str(), nobody, nobody), 0);
    for (const std::string database : {"data/consentry.db", "data/db/consentry.db"}) {
        move_data_away();
        const Settings settings = quick_settings({{"DATABASE_URL", "sqlite:" + database}});
        const Finished restored = run_program({"restore", "copy"}, folder_.path(), settings);
        ASSERT_EQ(restored.code, 0) << restored.err;
        struct stat facts{};
        ASSERT_EQ(::stat((folder_ / "data").c_str(), &facts), 0);
        EXPECT_EQ(facts.st_uid, nobody);
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / "data")) {
            ASSERT_EQ(::lstat(entry.path().c_str(), &facts), 0);
            EXPECT_EQ(facts.st_uid, nobody) << entry.path();
        }
        EXPECT_EQ(run_program({"keys", "epoch", "raise"}, folder_.path(), settings).code, 0);
    }
}

TEST_F(Backup, IsOfOneMomentWhileTheServiceWrites) {
    make_person(folder_.path(), "ada@example.org");
    const ServiceProcess service(folder_.path());
    std::atomic<int> signed_up = 0;
    // Ends with the test, also if something below throws.
    std::jthread writer([&, client = service.client()](const std::stop_token& stop) {
        for (int i = 0; !stop.stop_requested(); ++i) {
            const std::string email = "user" + std::to_string(i) + "@example.org";
            const Answer answer = client.post("/api/public/user/sign-up",
                                              {{"email", email}, {"password", right_password}, {"from", "website"}});
            signed_up += answer.status == 201U ? 1 : 0;
        }
    });
    for (int i = 0; i < 5; ++i) {
        const std::string copy = "copy-" + std::to_string(i);
        const Finished made = run({"backup", copy});
        EXPECT_EQ(made.code, 0) << made.err;
        EXPECT_EQ(run({"restore", copy, "--check"}).code, 0);
        EXPECT_EQ(run_sql(folder_ / copy / "consentry.db", "PRAGMA foreign_key_check").size(), 0U);
    }
    writer.request_stop();
    writer.join();
    EXPECT_GT(signed_up, 0);
}

TEST_F(Backup, HasTheTextsThatItsDatabaseNamesWhilePoliciesArePublished) {
    make_person(folder_.path(), "ada@example.org");
    // They come first, so that the draft is still to be copied when it is published.
    const fs::path many = folder_ / "data/storage/private/aaa";
    fs::create_directories(many);
    for (int i = 0; i < 1'000; ++i) std::ofstream(many / std::to_string(i)) << i;
    std::jthread writer([&](const std::stop_token& stop) {
        for (std::int64_t version = 1; !stop.stop_requested(); ++version) publish(version);
    });
    for (int i = 0; i < 10; ++i) {
        const std::string copy = "copy-" + std::to_string(i);
        const Finished made = run({"backup", copy});
        EXPECT_EQ(made.code, 0) << made.err;
        const std::string sums = text_in(folder_ / copy / "SHA256SUMS");
        for (const auto& row : run_sql(folder_ / copy / "consentry.db",
                                       "SELECT lower(hex(c.digest)), p.status, p.version FROM term_policy_contents c "
                                       "JOIN term_policies p ON p.id = c.term_policy_id"))
            EXPECT_THAT(sums, HasSubstr(row[0] + "  storage/" + (row[1] == "published" ? "public" : "private")))
                << row[1] << " " << row[2];
    }
    writer.request_stop();
}

// An operator pastes what `restore` prints, and starts the service whatever that has said.
TEST_F(Backup, TheCommandsThatRestorePrintsEndTheSessionsOfAnEarlierSchema) {
    const Person ada = make_person(folder_.path(), "ada@example.org");
    std::string token;
    {
        const ServiceProcess service(folder_.path());
        token = tokens_of(service.client(), ada).access;
        EXPECT_EQ(knock(service.client(), token), 200U);
    }
    take_back_newest_migration(folder_ / "data/consentry.db");
    ASSERT_EQ(run({"backup", "copy", "--with-keys"}).code, 0);
    move_data_away();
    const Finished restored = run({"restore", "copy"});
    ASSERT_EQ(restored.code, 0) << restored.err;
    const CommandResult pasted =
        run_command({"bash", "-c",
                     "cd \"$1\"; program=$2; consentry() { \"$program\" \"$@\" || echo FAILED >&2; }; "
                     "eval \"$(grep '^  consentry ' <<<\"$3\")\"",
                     "bash", folder_.path().string(), CONSENTRY_PROGRAM, restored.err},
                    quick_settings());
    EXPECT_THAT(pasted.err, Not(HasSubstr("FAILED")));
    const ServiceProcess service(folder_.path());
    EXPECT_EQ(knock(service.client(), token), 401U);
    EXPECT_EQ(log_in(service.client(), ada).status, 200U);
}

TEST_F(Backup, TellsOfTextsThatTheInstallationLacks) {
    make_person(folder_.path(), "ada@example.org");
    publish(1);
    EXPECT_THAT(run({"backup", "whole"}).err, Not(HasSubstr("Warning")));
    fs::remove_all(folder_ / "data/storage/public/policies");
    for (const auto& file : fs::recursive_directory_iterator(folder_ / "data/storage/public"))
        if (file.path().extension() == ".hbs") fs::remove(file);
    const Finished made = run({"backup", "copy"});
    EXPECT_EQ(made.code, 0) << "the rest is worth keeping";
    EXPECT_THAT(made.err, HasSubstr("names: 1."));
    EXPECT_EQ(run({"restore", "copy", "--check"}).code, 0);
}

TEST_F(Backup, ABackupReplacesNothing) {
    make_person(folder_.path(), "ada@example.org");
    ASSERT_EQ(run({"backup", "copy"}).code, 0);
    const Finished again = run({"backup", "copy"});
    EXPECT_EQ(again.code, 2);
    EXPECT_THAT(again.err, HasSubstr("copy is not empty, but the folder of a new backup must be; nothing was changed"));
    const Finished into_file = run({"backup", "copy/backup.json"});
    EXPECT_EQ(into_file.code, 2);
    EXPECT_THAT(into_file.err, HasSubstr("copy/backup.json is not a folder; nothing was changed"));
}

TEST_F(Backup, ARestoreReplacesNothing) {
    make_person(folder_.path(), "ada@example.org");
    ASSERT_EQ(run({"backup", "copy"}).code, 0);
    const Finished refused = run({"restore", "copy"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("exists"), HasSubstr("nothing was changed")));
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove((folder_ / "data/consentry.db").string() + ending);
    for (const char* ending : {"-wal", "-journal"}) {
        const std::string rest = (folder_ / "data/consentry.db").string() + ending;
        std::ofstream(rest) << "pages of the former database";
        const Finished mixed = run({"restore", "copy"});
        EXPECT_EQ(mixed.code, 2);
        EXPECT_THAT(mixed.err,
                    AllOf(HasSubstr(std::string("consentry.db") + ending), HasSubstr("nothing was changed")));
        EXPECT_TRUE(fs::remove(rest));
        EXPECT_FALSE(fs::exists(folder_ / "data/consentry.db")) << "SQLite would mix the two";
    }
    fs::create_directories(folder_ / "data/storage/public");
    std::ofstream(folder_ / "data/storage/public/text") << "somebody's";
    const Finished files = run({"restore", "copy"});
    EXPECT_EQ(files.code, 2);
    EXPECT_THAT(files.err, HasSubstr("not empty"));
    EXPECT_FALSE(fs::exists(folder_ / "data/consentry.db"));
    EXPECT_TRUE(fs::exists(folder_ / "data/storage/public/text"));
}

TEST_F(Backup, ComesBackWhereTheDatabaseIsInTheWorkingFolder) {
    const Settings settings = quick_settings({{"DATABASE_URL", "sqlite:consentry.db"}});
    make_person(folder_.path(), "ada@example.org", "user", settings);
    ASSERT_EQ(run_program({"backup", "copy", "--with-keys"}, folder_.path(), settings).code, 0);
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove((folder_ / "consentry.db").string() + ending);
    move_data_away();
    const Finished restored = run_program({"restore", "copy"}, folder_.path(), settings);
    EXPECT_EQ(restored.code, 0) << restored.err;
    EXPECT_THAT(run_program({"user", "list"}, folder_.path(), settings).out, HasSubstr("ada@example.org"));
}

TEST_F(Backup, ARestoreThatCannotWriteItsFirstFileCanBeRepeated) {
    make_person(folder_.path(), "ada@example.org");
    publish(1);
    ASSERT_EQ(run({"backup", "copy"}).code, 0);
    move_data_away();
    constexpr const char* with_full_disk =
        "set -o pipefail; cd \"$1\"; (trap '' XFSZ; ulimit -f 0; exec \"$2\" restore copy) 2>&1 | cat";
    const CommandResult full =
        run_command({"bash", "-c", with_full_disk, "bash", folder_.path().string(), CONSENTRY_PROGRAM});
    EXPECT_EQ(full.code, 1);
    EXPECT_THAT(full.out, HasSubstr("File too large"));
    const Finished again = run({"restore", "copy"});
    EXPECT_EQ(again.code, 0) << again.err;
}

// Each of two processes checks the place before either has written to it.
TEST_F(Backup, OfTwoRestoresAtOnceOneIsWholeAndTheOtherTakesNothingAway) {
    make_person(folder_.path(), "ada@example.org");
    const fs::path files = folder_ / "data/storage/public/many";
    fs::create_directories(files);
    for (int i = 0; i < 1'000; ++i) std::ofstream(files / std::to_string(i)) << i;
    ASSERT_EQ(run({"backup", "copy", "--with-keys"}).code, 0);
    for (int round = 0; round < 10; ++round) {
        move_data_away();
        Finished other;
        std::jthread beside([&] { other = run({"restore", "copy"}); });
        const Finished one = run({"restore", "copy"});
        beside.join();
        ASSERT_TRUE(one.code == 0 || other.code == 0) << one.err << other.err;
        const CommandResult same =
            run_command({"sh", "-c",
                         "cd '" + folder_.path().string() +
                             "' && diff -r copy/storage data/storage && "
                             "diff -r copy/keys data/keys && cmp copy/consentry.db data/consentry.db"});
        ASSERT_EQ(same.code, 0) << same.out << one.err << other.err;
    }
}

TEST_F(Backup, WhatWasAlteredCutOffOrAddedIsNoticed) {
    make_person(folder_.path(), "ada@example.org");
    publish(1);
    const auto damaged = [&](const std::string& name, const std::string& says, const auto& damage) {
        ASSERT_EQ(run({"backup", name}).code, 0);
        damage(folder_ / name);
        const Finished refused = run({"restore", name, "--check"});
        EXPECT_EQ(refused.code, 1) << name;
        EXPECT_THAT(refused.err, HasSubstr(says)) << name;
        const Finished told = run({"restore", name, "--check", "--json"});
        EXPECT_EQ(told.code, 1) << name;
        EXPECT_EQ(json::parse(told.out).at("restored"), false) << name;
        // Otherwise the facts are what is damaged.
        if (says == "differs") EXPECT_EQ(json::parse(told.out).at("hasStorage"), true) << told.out;
    };
    damaged("unfinished", "not a complete backup", [](const fs::path& copy) { fs::remove(copy / "backup.json"); });
    damaged("altered", "differs", [](const fs::path& copy) {
        std::fstream(copy / "consentry.db", std::ios::in | std::ios::out | std::ios::binary).seekp(8192) << 'x';
    });
    damaged("added", "is not listed in the backup",
            [](const fs::path& copy) { std::ofstream(copy / "storage/public/more") << "more"; });
    damaged("cut", "missing", [](const fs::path& copy) { fs::remove_all(copy / "storage"); });
    damaged("relisted", "damaged", [](const fs::path& copy) {
        fs::remove_all(copy / "storage");
        std::ofstream(copy / "SHA256SUMS") << "";
    });
    const Finished nowhere = run({"restore", "nowhere", "--json"});
    EXPECT_EQ(nowhere.code, 2);
    EXPECT_EQ(json::parse(nowhere.out).at("restored"), false);
}

// The backup lacks entries that others have seen: only the checkpoint in the object store knows.
TEST_F(Backup, AnOlderDatabaseBesideNewerFilesDoesNotStart) {
    make_person(folder_.path(), "ada@example.org");
    publish(1);
    ASSERT_EQ(run({"backup", "copy"}).code, 0);
    publish(2);
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove((folder_ / "data/consentry.db").string() + ending);
    ASSERT_EQ(run({"restore", "copy", "--database-only"}).code, 0);
    const Finished checked = run({"config", "check"});
    EXPECT_EQ(checked.code, 1) << "as the start below";
    EXPECT_THAT(checked.err, AllOf(HasSubstr("DATABASE_URL: The published log has 2 entries"),
                                   HasSubstr("older than what others have seen"), HasSubstr("Nothing was changed")));
    const Finished examined = run({"doctor"});
    EXPECT_EQ(examined.code, 1);
    EXPECT_THAT(examined.out, AllOf(HasSubstr("error\tDATABASE_URL\tThe published log has 2 entries"),
                                    Not(HasSubstr("is up to date"))));
    const Finished cleaned = run({"clean-up", "--json"});
    EXPECT_EQ(cleaned.code, 1);
    const auto troubles = json::parse(cleaned.out).at("troubles").as_array();
    ASSERT_FALSE(troubles.empty());
    EXPECT_THAT(std::string(troubles.at(0).at("task").as_string()), HasSubstr("consent log"));
    EXPECT_THAT(std::string(troubles.at(0).at("reason").as_string()), HasSubstr("older than what others have seen"));
    const Finished refused = run({"serve"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("the database is older than what others have seen"), HasSubstr("begin another log")));
    // With the files of the same backup it starts: everything is as it was then.
    move_data_away();
    fs::create_directories(folder_ / "data");
    fs::copy(folder_ / "former-0/keys", folder_ / "data/keys");
    fs::permissions(folder_ / "data", fs::perms::owner_all);
    ASSERT_EQ(run({"restore", "copy"}).code, 0);
    const ServiceProcess service(folder_.path());
    EXPECT_GE(entries_of_log(service.client()), 1);
}

// A command that made other keys would hide that the former ones are missing, until no second factor works.
TEST_F(Backup, WithoutKeysMakesNoCommandMakeOthers) {
    const Person ada = make_person(folder_.path(), "ada@example.org");
    publish(1);
    ASSERT_EQ(run({"backup", "copy"}).code, 0);
    move_data_away();
    const Finished restored = run({"restore", "copy"});
    EXPECT_EQ(restored.code, 0);
    const std::string keys = (fs::path("./data") / "keys").string();
    EXPECT_THAT(restored.err, HasSubstr("The backup has no keys. Put " + keys + " back before any other command."));
    const std::string missing = keys +
                                " lacks two-factor.key, app.key, a key for access tokens, a key for refresh tokens "
                                "and consent-log.key, although the database has accounts. Put the missing files back";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"keys", "epoch", "raise"}, {"user", "list"}, {"clean-up"}, {"keys", "rotate"}}) {
        const Finished refused = run(command);
        EXPECT_EQ(refused.code, 2) << command.front() << refused.out;
        EXPECT_THAT(refused.err, HasSubstr("DATA_DIR: " + missing));
    }
    const std::string no_log_key = keys +
                                   "/consent-log.key is missing, and no other key continues the log in this "
                                   "database. Put it back";
    const Finished checked = run({"config", "check"});
    EXPECT_EQ(checked.code, 2);
    EXPECT_THAT(checked.err, AllOf(HasSubstr("DATA_DIR: " + no_log_key), HasSubstr("DATA_DIR: " + missing),
                                   Not(HasSubstr("the given key"))));
    const Finished started = run({"serve"});
    EXPECT_EQ(started.code, 2);
    EXPECT_THAT(started.err, HasSubstr("DATA_DIR: " + no_log_key));
    EXPECT_FALSE(fs::exists(folder_ / "data/keys"));

    fs::copy(folder_ / "former-0/keys", folder_ / "data/keys");
    EXPECT_EQ(run({"keys", "epoch", "raise"}).code, 0);
    // No start makes another key of a log.
    fs::rename(folder_ / "data/keys/consent-log.key", folder_ / "consent-log.key");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"verify", "database"}, {"config", "check"}, {"serve"}}) {
        const Finished refused = run(command);
        EXPECT_EQ(refused.code, 2) << command.front() << refused.out;
        EXPECT_THAT(refused.err, AllOf(HasSubstr("is lost, start a new log, as docs/guides/backup.md explains"),
                                       Not(HasSubstr("makes others"))));
    }
    fs::rename(folder_ / "consent-log.key", folder_ / "data/keys/consent-log.key");
    // Only the service itself replaces what can be replaced.
    fs::remove(folder_ / "data/keys/app.key");
    const std::string replaced = "If they are lost, start the service, which makes others";
    EXPECT_THAT(run({"user", "list"}).err, AllOf(HasSubstr(keys + " lacks app.key, although"), HasSubstr(replaced)));
    const Finished warned = run({"config", "check"});
    EXPECT_EQ(warned.code, 0);
    EXPECT_THAT(warned.err,
                AllOf(HasSubstr("warning: DATA_DIR: " + keys + " lacks app.key, although"), HasSubstr(replaced)));
    const ServiceProcess service(folder_.path());
    EXPECT_EQ(log_in(service.client(), ada).status, 200U);
    EXPECT_EQ(run({"user", "list"}).code, 0);
}

TEST_F(Backup, WithPostgresqlItNamesThePage) {
    make_person(folder_.path(), "ada@example.org");
    const Finished refused = run_program({"backup", "copy"}, folder_.path(),
                                         quick_settings({{"DATABASE_URL", "postgresql://localhost/consentry"}}));
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("docs/guides/backup.md"));
    EXPECT_FALSE(fs::exists(folder_ / "copy"));
}

}  // namespace
}  // namespace consentry::tests
