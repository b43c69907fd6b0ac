// consentry doctor and health.
#include <cstdlib>
#include <fstream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "tests/process/terminal.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Examined {
    int code;
    json::array findings;

    // "error: text" of the first finding about this subject; empty if there is none.
    std::string about(std::string_view subject) const {
        for (const auto& one : findings)
            if (one.at("subject").as_string() == subject)
                return std::string(one.at("severity").as_string()) + ": " + std::string(one.at("text").as_string());
        return {};
    }
    std::string advice_about(std::string_view subject) const {
        for (const auto& one : findings)
            if (one.at("subject").as_string() == subject) return std::string(one.at("advice").as_string());
        return {};
    }
};

class Doctor : public ::testing::Test {
protected:
    Doctor() { make_person(folder_.path(), "root@example.org", "superAdmin"); }
    Examined examine(const Settings& more = {}) const {
        const Finished done = run_program({"doctor", "--json"}, folder_.path(), quick_settings(more));
        Examined out{done.code, json::parse(done.out).as_array()};
        for (const auto& one : out.findings)
            EXPECT_EQ(one.at("severity").as_string() == "ok", one.at("advice").is_null())
                << "each finding says what to do: " << one;
        return out;
    }
    void sql(const std::string& statement) const { run_sql(folder_ / "data/consentry.db", statement); }
    const TempFolder folder_;
};

TEST_F(Doctor, AWellInstallationHasNoErrors) {
    ASSERT_EQ(run_program({"clean-up"}, folder_.path(), quick_settings()).code, 0);
    const ServiceProcess service(folder_.path());
    const Examined found =
        examine({{"HTTP_PORT", std::to_string(service.port())}, {"HEALTH_DISK_MAX_IN_PERCENT", "100"}});
    EXPECT_EQ(found.code, 0) << json::value(found.findings);
    EXPECT_THAT(found.about("service"), HasSubstr("ok: "));
    EXPECT_THAT(
        examine({{"HTTP_PORT", std::to_string(service.port())}, {"http_proxy", "http://127.0.0.1:1"}}).about("service"),
        HasSubstr("ok: "))
        << "a proxy for other machines is not asked";
    EXPECT_THAT(found.about("database"), HasSubstr("ok: answers in"));
    EXPECT_THAT(found.about("files"), HasSubstr("ok: "));
    EXPECT_THAT(found.about("disk"), HasSubstr("% full"));
    EXPECT_THAT(found.about("consent log"), HasSubstr("ok: "));
    EXPECT_THAT(found.about("access key"), HasSubstr("ok: is 0 days old"));
    EXPECT_THAT(found.about("administrators"), HasSubstr("warning: 1 of 1 super admins"));
    EXPECT_THAT(found.about("APP_ENV"), HasSubstr("warning: "));
}

TEST_F(Doctor, WrongSettingsAreErrors) {
    const Examined found = examine({{"HTTP_PORT", "many"}});
    EXPECT_EQ(found.code, 1);
    EXPECT_THAT(found.about("HTTP_PORT"), HasSubstr("error: must be"));
}

TEST_F(Doctor, FilesThatOthersCanReadAreErrors) {
    fs::permissions(folder_ / "data", static_cast<fs::perms>(0755));
    std::ofstream(folder_ / ".env") << "APP_NAME=Shop\n";
    fs::permissions(folder_ / ".env", static_cast<fs::perms>(0644));
    const Examined found = examine();
    EXPECT_EQ(found.code, 1);
    EXPECT_THAT(found.about(".env"), AllOf(HasSubstr("error: "), HasSubstr("0644")));
    EXPECT_THAT(json::serialize(found.findings), HasSubstr("Run `chmod o= .env`."));
    EXPECT_THAT(found.about("./data"), AllOf(HasSubstr("error: "), HasSubstr("0755")));
}

TEST_F(Doctor, AServiceThatDoesNotRunIsAWarning) {
    EXPECT_THAT(examine({{"HTTP_PORT", "1"}}).about("service"), HasSubstr("warning: does not answer"));
}

TEST_F(Doctor, WhatWaitsForTooLongIsFound) {
    sql("UPDATE administration_acts SET id = '0190a000-0000-7000-8000-000000000001', is_logged = FALSE");
    const Examined found = examine();
    EXPECT_EQ(found.code, 1);
    EXPECT_THAT(found.about("administration log"), HasSubstr("error: entries have waited"));
}

// The promise of a receipt begins with what it confirms, not with the draft of a document.
TEST_F(Doctor, ADraftThatIsPublishedAfterAWhileIsNotLate) {
    fs::create_directories(folder_ / "texts/privacy/1");
    std::ofstream(folder_ / "texts/privacy/1/en.hbs") << "text";
    const auto policy = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "policy");
        const Finished done = run_program(arguments, folder_.path(), quick_settings());
        EXPECT_EQ(done.code, 0) << done.err;
    };
    policy({"import", "texts"});
    // Its id, which is the one of its entry, tells when the draft was made.
    const std::string id = "'0190a000-0000-7000-8000-000000000001'";
    sql("UPDATE term_policies SET id = " + id + "; UPDATE term_policy_contents SET term_policy_id = " + id);
    policy({"publish", "privacy", "1"});
    EXPECT_EQ(examine().about("consent log"), "ok: is up to date");
    const auto acceptance = [&](const std::string& flags) {
        const std::string before = "0101" + flags + "0200000001656e" + std::string(64, '0');
        const std::string in_2023 = "0000000065000000";
        sql("UPDATE log_entries SET entry = x'" + before + in_2023 + std::string(96, '0') + "'");
        return examine().about("consent log");
    };
    EXPECT_EQ(acceptance("01"), "ok: is up to date") << "of before the log";
    EXPECT_THAT(acceptance("00"), HasSubstr("error: entries have waited"));
}

TEST_F(Doctor, MailsThatWaitOrHaveFailedAreFound) {
    sql("INSERT INTO mails (id, user_id, address, language, kind, iv, payload, created_at, due_at, failed_at) "
        "SELECT x'0190a000000070008000000000000001', id, email, 'en', 'verifyEmail', x'00', x'00', 1, 1, NULL FROM "
        "users "
        "UNION ALL "
        "SELECT x'0190a000000070008000000000000002', id, email, 'en', 'verifyEmail', x'00', x'00', 1, 1, 2 FROM users");
    const std::string found = json::serialize(examine().findings);
    EXPECT_THAT(found,
                AllOf(HasSubstr("1 have waited for more than 10 minutes"), HasSubstr("1 could not be delivered")));
}

TEST_F(Doctor, EntriesThatNobodyPublishedAreFound) {
    ASSERT_EQ(run_program({"clean-up"}, folder_.path(), quick_settings()).code, 0);
    EXPECT_EQ(examine().about("administration log"), "ok: is up to date");
    sql("UPDATE logs SET size = published + 1 WHERE name = 'administration'");
    EXPECT_THAT(json::serialize(examine().findings), HasSubstr("1 entries are not published yet"));
}

TEST_F(Doctor, KeysOfReceiptsThatTheLogHasNotSignedAreFound) {
    EXPECT_EQ(examine().about("receipt keys"), "") << "there is no log yet";
    ASSERT_EQ(run_program({"clean-up"}, folder_.path(), quick_settings()).code, 0);
    EXPECT_THAT(examine().about("receipt keys"), HasSubstr("ok: are all signed"));
    sql("INSERT INTO receipt_keys (kid, jwk, first_used_at) VALUES ('planted', '{}', 1)");
    EXPECT_THAT(examine().about("receipt keys"), HasSubstr("error: 1 in the database is not signed"));
    fs::remove(folder_ / "data/storage/private/receipt-keys/former.json");
    EXPECT_THAT(examine().about("receipt keys"), HasSubstr("lacks receipt-keys/former.json"));
}

TEST_F(Doctor, OldKeysAreAWarning) {
    redate_keys(folder_ / "data/keys", from_epoch_ms(1'577'836'800'000));
    const Examined found = examine();
    for (const char* key : {"access key", "refresh key"})
        EXPECT_THAT(found.about(key), AllOf(HasSubstr("warning: is "), HasSubstr(" days old")));
}

TEST_F(Doctor, TheCommandsOfItsAdviceReadTheFileThatWasChosen) {
    redate_keys(folder_ / "data/keys", SystemClock().now() - std::chrono::days{4'000});
    std::ofstream(folder_ / "chosen.env") << "APP_NAME=Shop\n";
    const Finished done = run_program({"--env-file", "chosen.env", "doctor"}, folder_.path(), quick_settings());
    EXPECT_THAT(done.out, HasSubstr("`consentry --env-file chosen.env keys rotate`")) << done.err;
}

TEST_F(Doctor, KeysOfTheFutureAreAWarning) {
    redate_keys(folder_ / "data/keys", SystemClock().now() + std::chrono::minutes{5});
    const Examined found = examine();
    for (const char* key : {"access key", "refresh key"})
        EXPECT_THAT(found.about(key), HasSubstr("warning: was made in the future"));
}

TEST_F(Doctor, AccountsThatNeedAFormerTwoFactorKeyAreCounted) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    const auto with_code = [&](const Settings& settings, std::int64_t steps_ahead) {
        const ServiceProcess service(folder_.path(), quick_settings(settings));
        if (ada.secret.empty()) {
            turn_two_factor_on(service.client(), ada);
            return;
        }
        const Answer login = log_in(service.client(), ada);
        const Answer verified = verify(service.client(), login.text("data.challengeToken"), code_of(ada, steps_ahead));
        EXPECT_EQ(verified.status, 200U) << verified.body;
    };
    const std::string subject = "two-factor key";
    with_code({}, 0);
    EXPECT_THAT(examine().about(subject), HasSubstr("ok: no account needs"));
    const std::string next = "a-new-key-that-is-32-bytes-long-";
    const Settings both{{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", next + "," + text_in(folder_ / "data/keys/two-factor.key")}};
    const Settings only{{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", next}};
    EXPECT_THAT(examine(both).about(subject), HasSubstr("warning: 1 account still needs a former key"));
    const Examined missing = examine(only);
    EXPECT_THAT(missing.about(subject), HasSubstr("error: 1 account cannot log in"));
    EXPECT_EQ(missing.code, 1);
    const auto check = [&](const Settings& settings) {
        return run_program({"config", "check"}, folder_.path(), quick_settings(settings));
    };
    EXPECT_THAT(check(both).err, Not(HasSubstr("AUTH_TWO_FACTOR_ENCRYPTION_KEY")));
    EXPECT_THAT(check(only).err, HasSubstr("warning: AUTH_TWO_FACTOR_ENCRYPTION_KEY: 1 account cannot log in"));
    EXPECT_EQ(check(only).code, 0) << "the service would start";
    with_code(both, 1);
    EXPECT_THAT(examine(both).about(subject), HasSubstr("ok: "));
    EXPECT_THAT(examine(only).about(subject), HasSubstr("ok: "));
}

TEST_F(Doctor, AFileOfSettingsThatIsNamedMustExist) {
    const Finished done =
        run_program({"--env-file", "production.env", "doctor", "--json"}, folder_.path(), quick_settings());
    EXPECT_EQ(done.code, 1);
    EXPECT_THAT(done.out, HasSubstr("production.env does not exist"));
}

TEST_F(Doctor, AServiceNeedsAnAdministratorWithASecondFactor) {
    sql("INSERT OR REPLACE INTO two_factors (user_id, enabled, required_setup, created_at, updated_at) "
        "SELECT id, TRUE, FALSE, 1, 1 FROM users");
    EXPECT_EQ(examine().about("administrators"), "ok: all 1 super admins have two-factor authentication");
    ASSERT_EQ(
        run_program({"user", "two-factor", "reset", "--email", "root@example.org"}, folder_.path(), quick_settings())
            .code,
        0);
    EXPECT_THAT(examine().about("administrators"), HasSubstr("warning: 1 of 1 super admins"))
        << "until they have set it up again, a password is enough";
    sql("UPDATE users SET status = 'blocked'");
    EXPECT_EQ(examine().about("administrators"), "warning: there is no super admin");
}

TEST_F(Doctor, LimitsOfTheProcessAreCompared) {
    // Sanitizers report what they find in the child, too.
    Settings settings = quick_settings();
    for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
        if (const char* value = std::getenv(name)) settings[name] = value;
    std::vector<std::string> words{"env", "-C", folder_.path().string(), "-i"};
    for (const auto& [name, value] : settings) words.push_back(name + "=" + value);
    for (const char* word : {"/bin/sh", "-c", "ulimit -n 300; exec \"$0\" doctor", CONSENTRY_PROGRAM})
        words.emplace_back(word);
    const CommandResult done = run_command(words);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out,
                HasSubstr("is 20000, which takes 22857 open files, but a process started from here may open 300"));
}

TEST_F(Doctor, WhatProductionNeedsIsAsked) {
    const Examined found = examine(production_settings());
    EXPECT_THAT(found.about("PUBLIC_URL"), HasSubstr("ok: is https"));
    EXPECT_THAT(found.about("HTTP_TRUSTED_PROXIES"), HasSubstr("warning: is empty"));
    EXPECT_THAT(found.about("CONSENT_LOG_WITNESSES"), HasSubstr("no witness confirms"));
}

TEST_F(Doctor, AServiceThatIsNotWellIsAnError) {
    const ServiceProcess service(folder_.path());
    const std::string port = std::to_string(service.port());
    EXPECT_THAT(examine({{"HTTP_PORT", port}, {"HTTP_GLOBAL_PREFIX", "/elsewhere"}}).about("service"),
                AllOf(HasSubstr("error: "), HasSubstr("answers 404")));
}

TEST_F(Doctor, AnOlderSchemaIsLeftAsItIs) {
    sql("DELETE FROM schema_migrations WHERE number = (SELECT MAX(number) FROM schema_migrations)");
    const Examined found = examine();
    EXPECT_THAT(found.about("database"), HasSubstr("warning: 1 migration is due"));
    EXPECT_EQ(found.about("administrators"), "") << "nothing was opened";
    EXPECT_THAT(examine().about("database"), HasSubstr("warning: 1 migration is due")) << "still";
}

TEST_F(Doctor, ADatabaseThatOnlyAStartCanReadIsNotCalledEmpty) {
    {
        ServiceProcess service(folder_.path());
        service.kill();
    }
    ASSERT_TRUE(fs::exists(folder_ / "data/consentry.db-wal"));
    ASSERT_TRUE(fs::remove(folder_ / "data/consentry.db-shm"));
    const Examined found = examine();
    EXPECT_EQ(found.code, 0);
    EXPECT_THAT(found.about("DATABASE_URL"),
                AllOf(HasSubstr("warning: "), HasSubstr("consentry.db-shm is missing"), HasSubstr("not checked")));
    EXPECT_THAT(json::serialize(found.findings),
                AllOf(HasSubstr("Start the service"), HasSubstr("restore a backup"), Not(HasSubstr("is empty"))));
    EXPECT_FALSE(fs::exists(folder_ / "data/consentry.db-shm"));
    {
        const ServiceProcess service(folder_.path());
    }
    EXPECT_THAT(examine().about("database"), HasSubstr("ok: answers in")) << "as the advice says";
}

TEST_F(Doctor, ServersOutOfReachAreFound) {
    const Examined found = examine({{"CACHE_URL", "redis://127.0.0.1:1"},
                                    {"MAIL_URL", "smtp://127.0.0.1:1?tls=none"},
                                    {"AUTH_SOCIAL_GOOGLE_CLIENT_ID", "shop"},
                                    {"AUTH_SOCIAL_GOOGLE_JWKS_URI", "https://127.0.0.1:1/keys"}});
    EXPECT_EQ(found.code, 1);
    EXPECT_THAT(found.about("CACHE_URL"), HasSubstr("warning: "));
    EXPECT_THAT(found.about("MAIL_URL"), HasSubstr("warning: "));
    EXPECT_THAT(found.about("login with Google"), HasSubstr("error: "));
}

TEST_F(Doctor, OnlyWhereAServerIsAtFaultItsAdviceIsToCheckTheServer) {
    std::ofstream(folder_ / "logs") << "no folder";
    const Examined found = examine({{"LOGGER_ENABLE", "true"},
                                    {"LOGGER_INTO_FILE", "true"},
                                    {"CACHE_URL", "redis://127.0.0.1:1"},
                                    {"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}});
    EXPECT_THAT(found.about("LOGGER_INTO_FILE"), HasSubstr("warning: "));
    EXPECT_THAT(found.advice_about("LOGGER_INTO_FILE"), HasSubstr("config docs"));
    EXPECT_THAT(found.advice_about("CACHE_URL"), HasSubstr("Check the server"));
    EXPECT_THAT(found.advice_about("MAIL_URL"), HasSubstr("Check the server"));
}

TEST_F(Doctor, PeopleGetSentences) {
    Terminal terminal({"doctor"}, folder_.path(), quick_settings({{"NO_COLOR", "1"}}));
    const auto [screen, code] = terminal.end();
    EXPECT_EQ(code, 0) << screen;
    EXPECT_THAT(screen, AllOf(HasSubstr("warning  APP_ENV: is local"), HasSubstr("         Run `consentry init`"),
                              HasSubstr("0 errors, "), Not(HasSubstr("\x1b[32m"))));
}

TEST_F(Doctor, WithoutDataItSaysHowToBegin) {
    const TempFolder empty;
    const Finished done = run_program({"doctor"}, empty.path(), quick_settings());
    EXPECT_EQ(done.code, 0) << done.out;
    EXPECT_THAT(done.out, HasSubstr("warning\tdatabase\tis empty\tStart the service"));
    EXPECT_TRUE(fs::is_empty(empty.path())) << "it changes nothing";
}

TEST_F(Doctor, HealthIsAnExitCode) {
    const auto health = [&](const Settings& settings, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"health"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments, folder_.path(), quick_settings(settings));
    };
    {
        const ServiceProcess service(folder_.path());
        const std::string port = std::to_string(service.port());
        const Finished well = health({{"HTTP_PORT", port}});
        EXPECT_EQ(well.code, 0) << well.err;
        EXPECT_EQ(well.out + well.err, "");
        const Finished warned = health({{"HTTP_PORT", port}, {"AUTH_PASSWORD_ATTEMPT", "false"}});
        EXPECT_EQ(warned.code, 0);
        EXPECT_EQ(warned.out + warned.err, "") << "settings are for `config check`";
        EXPECT_EQ(health({{"HTTP_PORT", port}, {"HTTP_HOST", "0.0.0.0"}}).code, 0);
        EXPECT_EQ(health({{"HTTP_PORT", port}, {"http_proxy", "http://127.0.0.1:1"}}).code, 0)
            << "a proxy for other machines is not asked";
        const Finished elsewhere = health({}, {"--url", "http://127.0.0.1:" + port + "/nowhere"});
        EXPECT_EQ(elsewhere.code, 1);
        EXPECT_THAT(elsewhere.err, HasSubstr("answers 404"));
    }
    EXPECT_EQ(health({{"HTTP_PORT", "1"}}).code, 1);
    const Finished wrong = health({{"HTTP_PORT", "many"}});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("HTTP_PORT: "));
    EXPECT_EQ(health({{"HTTP_PORT", "0"}}).code, 2) << "which port it is, only the service knows";
}

}  // namespace
}  // namespace consentry::tests
