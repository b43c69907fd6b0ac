// consentry init: the settings of a new installation, and which file of settings a command reads.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <sys/stat.h>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "tests/process/terminal.hpp"
#include "tests/process/without_root.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::string content_of(const fs::path& file) {
    std::ifstream in(file);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

class Init : public ::testing::Test {
protected:
    Finished run(std::vector<std::string> arguments, const Settings& environment = {},
                 std::string_view input = {}) const {
        return run_program(arguments, folder_.path(), environment, input);
    }
    std::string settings() const { return content_of(folder_ / ".env"); }
    const TempFolder folder_;
    const std::vector<std::string> usual_{"init", "--yes", "--public-url", "https://login.example.com"};
};

TEST_F(Init, WritesSettingsWithWhichTheServiceStarts) {
    const Finished written = run(usual_, {{"MAIL_URL", "file:mails"}});
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_EQ(written.out, "");
    EXPECT_THAT(written.err, AllOf(HasSubstr("consentry config check"), HasSubstr("consentry user create")));
    struct stat facts{};
    ASSERT_EQ(::stat((folder_ / ".env").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0600U);
    EXPECT_THAT(settings(),
                AllOf(HasSubstr("APP_ENV=production\n"), HasSubstr("PUBLIC_URL=https://login.example.com\n"),
                      HasSubstr("MAIL_URL=file:mails\n"), HasSubstr("\nCONSENT_LOG_PRIVATE_KEY=")));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "only the settings";
    EXPECT_FALSE(fs::exists(folder_ / "data")) << "the first start makes it";

    const Settings few{{"HTTP_PORT", "0"}, {"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "19456"}};
    EXPECT_EQ(run({"config", "check"}, few).code, 0);
    const Person ada = make_person(folder_.path(), "ada@example.org", "superAdmin", few);
    const ServiceProcess service(folder_.path(), few);
    EXPECT_EQ(log_in(service.client(), ada).status, 200U);
    EXPECT_FALSE(fs::exists(folder_ / "data/keys")) << "keys come from the settings";
}

// Regression: sudo drops the variables that are not named to it, and the usual values went unnoticed.
TEST_F(Init, SaysWhichDatabaseCacheAndMailTransportItHasWritten) {
    const Finished embedded = run(usual_);
    ASSERT_EQ(embedded.code, 0) << embedded.err;
    EXPECT_THAT(embedded.err, AllOf(HasSubstr("  Database: the SQLite file ./data/consentry.db\n"),
                                    HasSubstr("  Cache: in memory, for a single instance\n"),
                                    HasSubstr("  Emails: written to files in ./data/mail, not sent\n")));
    fs::remove(folder_ / ".env");
    const Finished servers =
        run(usual_, {{"DATABASE_URL", "postgresql://consentry:Pass-phrase-77@db.example.com/consentry"},
                     {"CACHE_URL", "rediss://:Pass-phrase-78@redis.example.com"},
                     {"MAIL_URL", "smtps://mailer:Pass-phrase-79@smtp.example.com"}});
    ASSERT_EQ(servers.code, 0) << servers.err;
    EXPECT_THAT(servers.err, AllOf(HasSubstr("  Database: postgresql://consentry:***@db.example.com/consentry\n"),
                                   HasSubstr("  Cache: rediss://:***@redis.example.com\n"),
                                   HasSubstr("  Emails: smtps://mailer:***@smtp.example.com\n")));
    EXPECT_THAT(servers.out + servers.err, Not(HasSubstr("Pass-phrase")));
    EXPECT_THAT(settings(), HasSubstr("Pass-phrase-77@db.example.com"));
}

TEST_F(Init, NeverReplacesSettings) {
    ASSERT_EQ(run(usual_).code, 0);
    const std::string before = settings();
    const Finished again = run(usual_);
    EXPECT_EQ(again.code, 2);
    EXPECT_THAT(again.err, AllOf(HasSubstr(".env exists"), HasSubstr("nothing was changed")));
    EXPECT_EQ(settings(), before);
    std::ofstream(folder_ / ".env") << "not a setting\n";
    EXPECT_EQ(run(usual_).code, 2) << "a file that cannot be read is somebody's, too";
    EXPECT_EQ(settings(), "not a setting\n");
}

TEST_F(Init, FillsTheFileThatAPackageShips) {
    std::ofstream(folder_ / ".env") << "# See consentry.env(5).\nAPP_ENV=staging\nDATA_DIR=elsewhere\n";
    fs::permissions(folder_ / ".env", static_cast<fs::perms>(0640));
    EXPECT_EQ(run(usual_).code, 0);
    EXPECT_THAT(settings(), AllOf(HasSubstr("\nAPP_ENV=staging\n"), HasSubstr("\nDATA_DIR=elsewhere\n"),
                                  HasSubstr("CONSENT_LOG_PRIVATE_KEY=")));
    struct stat facts{};
    ASSERT_EQ(::stat((folder_ / ".env").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0640U) << "the package has decided who reads it";
}

TEST_F(Init, SaysWhyTheFileThatIsThereCannotBeRead) {
    std::ofstream(folder_ / ".env") << "APP_ENV=staging\n";
    fs::permissions(folder_ / ".env", fs::perms::none);
    const CommandResult denied = run_without_root(usual_, folder_.path(), {});
    EXPECT_EQ(denied.code, 2);
    EXPECT_THAT(denied.err, AllOf(HasSubstr(".env: cannot be read: Permission denied"), Not(HasSubstr("Edit it"))));
    fs::permissions(folder_ / ".env", fs::perms::owner_all);
    std::ofstream(folder_ / ".env") << "APP_ENV=staging\nnot a setting\n";
    EXPECT_THAT(run(usual_).err, AllOf(HasSubstr(".env: line 2: "), HasSubstr("Nothing was changed")));
}

TEST_F(Init, ALinkToTheFileStays) {
    std::ofstream(folder_ / "shipped.env") << "APP_ENV=staging\n";
    fs::create_symlink("shipped.env", folder_ / ".env");
    EXPECT_EQ(run(usual_).code, 0);
    ASSERT_TRUE(fs::is_symlink(folder_ / ".env"));
    EXPECT_EQ(fs::read_symlink(folder_ / ".env"), "shipped.env");
    EXPECT_THAT(settings(), HasSubstr("\nAPP_ENV=staging\n"));
}

TEST_F(Init, WrongAnswersWriteNothing) {
    const struct {
        std::vector<std::string> more;
        std::string says;
    } cases[] = {
        {{"--port", "many"}, "HTTP_PORT"},
        {{"--public-url", "login.example.com"}, "PUBLIC_URL"},
        {{"--trusted-proxies", "everybody"}, "HTTP_TRUSTED_PROXIES"},
    };
    for (const auto& [more, says] : cases) {
        std::vector<std::string> arguments{"init", "--yes"};
        if (more.front() != "--public-url")
            arguments.insert(arguments.end(), {"--public-url", "https://login.example.com"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Finished refused = run(arguments);
        EXPECT_EQ(refused.code, 2);
        EXPECT_THAT(refused.err, HasSubstr(says));
        EXPECT_FALSE(fs::exists(folder_ / ".env"));
    }
    const Finished nameless = run({"init", "--yes"});
    EXPECT_EQ(nameless.code, 2);
    EXPECT_THAT(nameless.err, HasSubstr("PUBLIC_URL: must be set"));
    const Finished nobody = run({"init", "--public-url", "https://login.example.com"});
    EXPECT_EQ(nobody.code, 2);
    EXPECT_THAT(nobody.err, HasSubstr("--yes"));
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Init, AsksAtATerminalUntilTheAnswerSuits) {
    Terminal terminal({"init", "--host", "0.0.0.0"}, folder_.path(), {});
    terminal.answer("URL at which clients reach the service", "login");
    terminal.answer("PUBLIC_URL must be", "https://login.example.com");
    terminal.answer("Name of the service", "Ada's \"Shop\" $1");
    terminal.answer("Folder for all data [./data]", "");
    terminal.answer("Port to listen on [3000]", "8080");
    terminal.answer("Addresses of proxies", "");
    terminal.answer("PostgreSQL database", "");
    terminal.answer("Redis", "");
    terminal.answer("Mail server", "");
    terminal.answer("Sender address of emails", "hello@example.com");
    const auto [screen, code] = terminal.end();
    EXPECT_EQ(code, 0) << screen;
    EXPECT_THAT(settings(), AllOf(HasSubstr("HTTP_HOST=0.0.0.0\n"), HasSubstr("HTTP_PORT=8080\n"),
                                  HasSubstr("EMAIL_NO_REPLY=hello@example.com\n"), Not(HasSubstr("DATABASE_URL"))));
    const auto printed = json::parse(run({"config", "print", "--json"}).out);
    for (const auto& one : printed.as_array())
        if (one.at("name") == "APP_NAME") EXPECT_EQ(one.at("value"), "Ada's \"Shop\" $1");
}

TEST_F(Init, AnotherFileOfSettingsCanBeChosen) {
    EXPECT_EQ(run({"--env-file", "production.env", "init", "--yes", "--public-url", "https://a.example.com"}).code, 0);
    EXPECT_FALSE(fs::exists(folder_ / ".env"));
    EXPECT_THAT(run({"--env-file", "production.env", "config", "print"}).out,
                HasSubstr("PUBLIC_URL=https://a.example.com"));
    EXPECT_THAT(run({"config", "print"}).out, HasSubstr("PUBLIC_URL=  # default"));
    const Finished missing = run({"--env-file", "staging.env", "config", "print"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_THAT(missing.err, HasSubstr("staging.env does not exist"));
}

// The trial had APP_ENV=local, which makes its keys in the data folder.
TEST_F(Init, TakesOverTheKeysOfATrial) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    const auto keep = [&](std::string_view name) { return text_in(folder_ / "data/keys" / name); };
    {
        const ServiceProcess service(folder_.path());
        turn_two_factor_on(service.client(), ada);
    }
    ASSERT_EQ(run({"keys", "rotate"}, quick_settings()).code, 0) << "so that there are former keys";
    const Settings trial = quick_settings({{"AUTH_JWT_ACCESS_TOKEN_ALGORITHM", "EdDSA"}});
    const auto key_set = [](const ServiceProcess& service) {
        return service.client().get("/.well-known/jwks.json").body;
    };
    const std::string published = key_set(ServiceProcess(folder_.path(), trial));
    EXPECT_THAT(published, AllOf(HasSubstr("EdDSA"), HasSubstr("ES256")));
    const Finished written = run(usual_);
    ASSERT_EQ(written.code, 0) << written.err;
    EXPECT_THAT(written.err, HasSubstr("Took over the keys in " + (fs::path("./data") / "keys").string() +
                                       " for sessions, second factors, queued emails and the consent log."));
    for (const char* name : {"two-factor.key", "app.key", "consent-log.key"}) {
        if (std::string_view(name) != "consent-log.key")  // which is there in another form
            EXPECT_THAT(settings(), HasSubstr("=" + keep(name) + "\n")) << name;
        EXPECT_THAT(written.out + written.err, Not(HasSubstr(keep(name)))) << name;
    }
    const Settings few{{"HTTP_PORT", "0"}, {"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "19456"}, {"MAIL_URL", "file:mails"}};
    const Finished checked = run({"config", "check"}, few);
    EXPECT_EQ(checked.code, 0) << checked.err;
    const ServiceProcess service(folder_.path(), few);
    EXPECT_EQ(key_set(service), published) << "former keys included";
    const Answer login = log_in(service.client(), ada);
    const Answer verified = verify(service.client(), login.text("data.challengeToken"), code_of(ada, 1));
    EXPECT_EQ(verified.status, 200U) << verified.body;
}

// Others would lock the second factors of the accounts, and the log could not continue.
TEST_F(Init, InventsNoKeysBesideData) {
    make_person(folder_.path(), "ada@example.org");
    {
        const ServiceProcess service(folder_.path());
    }  // which begins the log
    const fs::path keys = folder_ / "data/keys";
    const fs::path away = folder_ / "away";
    const auto expect_refused = [&](const std::string& name) {
        const Finished refused = run(usual_);
        EXPECT_EQ(refused.code, 2) << name << refused.err;
        EXPECT_THAT(refused.err, AllOf(HasSubstr("lacks " + name), HasSubstr("nothing was written")));
        EXPECT_FALSE(fs::exists(folder_ / ".env")) << name;
    };
    for (const std::string name : {"two-factor.key", "app.key", "consent-log.key"}) {
        fs::rename(keys / name, away);
        expect_refused(name);
        fs::rename(away, keys / name);
    }
    fs::rename(keys, away);
    expect_refused("two-factor.key");
    EXPECT_FALSE(fs::exists(keys));
    fs::rename(away, keys);
    EXPECT_EQ(run(usual_).code, 0);
}

TEST_F(Init, MakesTheKeysThatATrialLacks) {
    fs::create_directories(folder_ / "data/keys");
    const std::string kept = "a-two-factor-key-of-32-bytes-----";
    std::ofstream(folder_ / "data/keys/two-factor.key") << kept;
    const Finished written = run(usual_);
    ASSERT_EQ(written.code, 0) << written.err;
    EXPECT_THAT(written.err, AllOf(HasSubstr("/keys for second factors."), Not(HasSubstr("consent log"))))
        << "only what was there";
    EXPECT_THAT(settings(),
                AllOf(HasSubstr("AUTH_TWO_FACTOR_ENCRYPTION_KEY=" + kept + "\n"),
                      HasSubstr("\nAUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY="), HasSubstr("\nCONSENT_LOG_PRIVATE_KEY=")));
    fs::remove(folder_ / ".env");
    std::ofstream(folder_ / "data/keys/app.key") << "short";
    const Finished damaged = run(usual_);
    EXPECT_EQ(damaged.code, 2);
    EXPECT_THAT(damaged.err, AllOf(HasSubstr("app.key is damaged"), HasSubstr("nothing was written")));
    EXPECT_FALSE(fs::exists(folder_ / ".env"));
}

// An operator pastes the lines into a shell.
TEST_F(Init, TheCommandsThatComeNextReadTheFileThatWasWritten) {
    const std::string file = "it's $HOME.env";
    const Finished written = run({"--env-file", file, "init", "--yes", "--public-url", "https://login.example.com",
                                  "--port", "0", "--data-dir", "elsewhere"},
                                 {{"MAIL_URL", "file:mails"}});
    EXPECT_EQ(written.code, 0) << written.err;
    std::vector<std::string> lines;
    std::istringstream said(written.err);
    for (std::string line; std::getline(said, line);)
        if (line.starts_with("  consentry ")) lines.push_back(line);
    const auto paste = [&](const std::string& part) {
        const auto line = std::ranges::find_if(lines, [&](const std::string& one) { return one.contains(part); });
        if (line == lines.end()) throw std::runtime_error("init does not print the command " + part);
        return run_command({"bash", "-c",
                            "cd \"$1\"; program=$2; consentry() { \"$program\" \"$@\"; }; "
                            "printf '%s\\n' \"$4\" | eval \"$3\"",
                            "bash", folder_.path().string(), CONSENTRY_PROGRAM, *line, right_password},
                           {{"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "19456"}});
    };
    EXPECT_EQ(paste("config check").code, 0) << paste("config check").err;
    EXPECT_EQ(run({"--env-file", file, "migrate"}).code, 0);
    const CommandResult created = paste("user create");
    EXPECT_EQ(created.code, 0) << created.err;
    EXPECT_EQ(paste("doctor").code, 0);
    EXPECT_THAT(lines, Each(HasSubstr("--env-file")));
    EXPECT_THAT(lines, Contains(HasSubstr(" serve")));
    EXPECT_FALSE(fs::exists(folder_ / "data"));
}

TEST_F(Init, WhatIsNoFileStaysAsItIs) {
    fs::create_directory(folder_ / ".env");
    EXPECT_EQ(run(usual_).code, 2);
    EXPECT_TRUE(fs::is_directory(folder_ / ".env"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace consentry::tests
