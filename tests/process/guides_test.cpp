// Runs the code blocks of README and of pages in docs/guides as a user would type them, in one shell, and compares the
// output with the pages.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gmock/gmock.h>

#include "tests/support/process.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view address = "http://localhost:3000";
constexpr std::string_view mark = "# -> ";

struct Guide {
    std::string script;
    std::string prints;
};

std::string with_port(std::string line, std::uint16_t port) {
    if (const auto at = line.find(address); at != std::string::npos)
        line.replace(at, address.size(), "http://127.0.0.1:" + std::to_string(port));
    return line;
}

void read_page(const fs::path& file, std::uint16_t port, Guide& guide) {
    std::ifstream in(file);
    EXPECT_TRUE(in.is_open()) << file;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("```")) {
            inside = line == "```sh";
            continue;
        }
        if (!inside) continue;
        if (line.starts_with(mark)) guide.prints += line.substr(mark.size()) + "\n";
        guide.script += with_port(std::move(line), port) + "\n";
    }
}

// The indented lines of README's section. They leave the password of the new account to a prompt, which takes it from
// the standard input if there is no terminal.
std::string read_section(std::string_view title, std::uint16_t port) {
    std::ifstream in(CONSENTRY_DOCS "/../README.md");
    EXPECT_TRUE(in.is_open());
    std::string script;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## ")) inside = line.substr(3) == title;
        if (!inside || !line.starts_with("    ")) continue;
        if (line.contains(" user create ")) line += " <<< 'Velvet-Harbor-42'";
        script += with_port(std::move(line), port) + "\n";
    }
    EXPECT_FALSE(script.empty()) << "README has no section " << title;
    return script;
}

// Addresses that the service hands out contain the configured port, so the test must know the port in advance.
std::uint16_t unused_port() {
    namespace asio = boost::asio;
    asio::io_context context;
    return asio::ip::tcp::acceptor(context, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

// A service in a folder that resembles a clone of the project, and a shell beside it.
class Newcomer {
public:
    Newcomer() {
        fs::create_directory_symlink(CONSENTRY_DOCS, folder_ / "docs");
        fs::create_directories(folder_ / "build" / "release");
        fs::create_symlink(CONSENTRY_PROGRAM, folder_ / "build" / "release" / "consentry");
    }

    // Types the section of README and returns what it prints.
    std::string follow_readme(std::string_view section) {
        const CommandResult result = type(read_section(section, service_.port()));
        EXPECT_EQ(result.code, 0) << result.err;
        return result.out;
    }

    // Types the pages in order: they print what they say.
    void follow(std::initializer_list<const char*> pages) {
        Guide guide;
        for (const char* page : pages) read_page(folder_ / "docs" / "guides" / page, service_.port(), guide);
        EXPECT_GT(guide.prints.size(), 100U);
        const CommandResult result = type(guide.script);
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.out, guide.prints) << result.err;
    }

private:
    CommandResult type(const std::string& script) {
        std::ofstream(folder_ / "guide.sh") << "set -euo pipefail\ncd '" << folder_.path().string() << "'\n" << script;
        NamedValues environment(settings_.begin(), settings_.end());
        environment["PATH"] = fs::path(CONSENTRY_PROGRAM).parent_path().string() + ":" + std::getenv("PATH");
        // The guide to the first hour waits for the next authenticator code.
        return run_command({"bash", (folder_ / "guide.sh").string()}, environment, std::chrono::minutes{3});
    }

    const TempFolder folder_;
    const Settings settings_ = quick_settings({{"HTTP_PORT", std::to_string(unused_port())}});
    const ServiceProcess service_{folder_.path(), settings_};
};

void expect_in_order(const std::string& text, std::initializer_list<std::string_view> parts) {
    std::size_t at = 0;
    for (const std::string_view part : parts) {
        const std::size_t found = text.find(part, at);
        ASSERT_NE(found, std::string::npos) << part << " is not there, or not where it belongs:\n" << text;
        at = found + part.size();
    }
}

// One after another in one folder, as README sends its reader on.
TEST(Guides, ReadmeThenFirstHourThenAccountsDoWhatTheySay) {
    Newcomer newcomer;
    expect_in_order(newcomer.follow_readme("Log in with curl"),
                    {R"("isEnabled": false)", R"("statusCode": 6104)", R"("statusCode": 200)", R"("statusCode": 200)",
                     R"("email": "ada@example.org")"});
    newcomer.follow({"first-hour.md", "accounts.md"});
}

// After the README, and after the first hour has put the token of an account that is logged out into ACCESS_TOKEN.
TEST(Guides, TheGuidesForAdministratorsDoWhatTheySay) {
    Newcomer newcomer;
    newcomer.follow_readme("Log in with curl");
    newcomer.follow({"roles-and-flags.md", "administration.md", "api-keys.md", "tokens-and-sessions.md"});
}

TEST(Guides, TermPoliciesAndConsentDoWhatTheySay) {
    Newcomer().follow({"term-policies.md", "consent.md", "consent-log.md", "consent-evidence.md"});
}

TEST(Guides, WitnessDoesWhatItSays) { Newcomer().follow({"witness.md"}); }

// The indented lines of a page that are statements of SQL, in their order. A statement may have several lines.
std::vector<std::string> statements_of(const char* page) {
    std::ifstream in(fs::path(CONSENTRY_DOCS) / "guides" / page);
    std::vector<std::string> out;
    std::string statement;
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("    ")) statement.clear();
        if (!line.starts_with("    ")) continue;
        statement += " " + line.substr(line.find_first_not_of(' '));
        if (!line.ends_with(";")) continue;
        out.push_back(statement.substr(1));
        statement.clear();
    }
    return out;
}

std::string accept_privacy(const HttpClient& client, const Person& person) {
    const std::string token = tokens_of(client, person).access;
    const Answer answer = client.post("/api/shared/user/term-policy/accept", {{"type", "privacy"}}, bearer(token));
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return answer.text("data.receipt");
}

// What a new log says that begins as docs/guides/backup.md tells, and what is left of the former one.
TEST(Guides, ANewLogAfterARestoreTakesInAllThatTheDatabaseHas) {
    const TempFolder folder;
    const auto run = [&](std::vector<std::string> arguments, Settings settings = {}) {
        const Finished done = run_program(arguments, folder.path(), quick_settings(std::move(settings)));
        EXPECT_EQ(done.code, 0) << arguments[0] << " " << done.out << done.err;
        return done.out;
    };
    const Person ada = make_person(folder.path(), "ada@example.org", "superAdmin");
    run({"policy", "import", (fs::path(CONSENTRY_DOCS) / "examples" / "policies").string()});
    run({"policy", "publish", "privacy", "1"});
    run({"clean-up"});
    const std::string acts = run({"log", "show", "admin"});
    EXPECT_THAT(acts, AllOf(HasSubstr("adminUserCreate"), HasSubstr("adminTermPolicyPublish")));
    std::string key;
    {
        const ServiceProcess service(folder.path(), quick_settings());
        std::ofstream(folder / "receipt.jwt") << accept_privacy(service.client(), ada);
        key = json::parse(service.client().get("/.well-known/consent-log").body).at("verifierKey").as_string();
    }
    run({"clean-up"});

    const fs::path data = folder / "data";
    for (const char* log : {"public/consent-log", "private/administration-log"})
        fs::rename(data / "storage" / log, folder.path() / fs::path(log).filename());
    const auto statements = statements_of("backup.md");
    EXPECT_FALSE(statements.empty());
    for (const std::string& statement : statements) run_sql(data / "consentry.db", statement);
    const Settings settings{{"CONSENT_LOG_ORIGIN", "second.example.org"}};
    {
        const ServiceProcess service(folder.path(), quick_settings(settings));
    }  // adds publications as it starts
    run({"clean-up"}, settings);
    EXPECT_EQ(run({"log", "show", "admin"}, settings), acts);
    EXPECT_THAT(run({"log", "verify", "admin"}, settings), HasSubstr("second.example.org/administration: "));
    EXPECT_THAT(run({"verify", "database"}, settings), HasSubstr("The database matches the consent log: 2 entries"));
    EXPECT_THAT(
        run({"verify", "receipt", "receipt.jwt", "--key", key, "--description", "consent-log/description.note"}),
        HasSubstr("The receipt is genuine"));
}

// A user who has no password any more logs in with Google or Apple, and must not be stopped when the password would
// have expired.
TEST(Guides, APasswordOfFirebaseThatIsRemovedLeavesNoExpiry) {
    const TempFolder folder;
    make_data(folder.path());
    const fs::path exports = fs::path(CONSENTRY_DOCS).parent_path() / "tests" / "data" / "exports";
    const Finished done =
        run_program({"user", "import", "--from", "firebase", "--firebase-hash-config",
                     (exports / "firebase-hash-config.txt").string(), (exports / "firebase-users.json").string()},
                    folder.path(), quick_settings({{"AUTH_PASSWORD_EXPIRED_IN_SECONDS", "86400"}}));
    ASSERT_EQ(done.code, 0) << done.err;
    const fs::path database = folder / "data/consentry.db";
    const auto count = [&](const std::string& rows) { return run_sql(database, "SELECT count(*) FROM " + rows)[0][0]; };
    EXPECT_NE(count("users WHERE password_expires_at IS NOT NULL"), "0");
    const auto statements = statements_of("leaving-firebase.md");
    ASSERT_EQ(statements.size(), 2U);
    for (const std::string& statement : statements) run_sql(database, statement);
    EXPECT_EQ(count("password_history"), "0");
    EXPECT_NE(count("users"), "0");
    EXPECT_EQ(count("users WHERE password_hash IS NOT NULL OR password_created_at IS NOT NULL OR "
                    "password_expires_at IS NOT NULL"),
              "0");
}

}  // namespace
}  // namespace consentry::tests
