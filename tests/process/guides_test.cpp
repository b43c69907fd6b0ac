// Runs the code blocks of pages in docs/guides as a user would type them, in one shell, and compares the output with
// the pages.
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

#include "process/account.hpp"
#include "tests/support/process.hpp"
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
        if (const auto at = line.find(address); at != std::string::npos)
            line.replace(at, address.size(), "http://127.0.0.1:" + std::to_string(port));
        guide.script += line + "\n";
    }
}

// Addresses that the service hands out contain the configured port, so the test must know the port in advance.
std::uint16_t unused_port() {
    namespace asio = boost::asio;
    asio::io_context context;
    return asio::ip::tcp::acceptor(context, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

// Runs the pages in order against one service, in a folder that resembles a clone of the project.
void expect_pages_do_what_they_say(std::initializer_list<const char*> pages) {
    const TempFolder folder;
    fs::create_directory_symlink(CONSENTRY_DOCS, folder / "docs");
    const Settings settings = quick_settings({{"HTTP_PORT", std::to_string(unused_port())}});
    const ServiceProcess service(folder.path(), settings);
    Guide guide;
    for (const char* page : pages) read_page(folder / "docs" / "guides" / page, service.port(), guide);
    EXPECT_GT(guide.prints.size(), 100U);
    std::ofstream(folder / "guide.sh") << "set -euo pipefail\ncd '" << folder.path().string() << "'\n" << guide.script;
    NamedValues environment(settings.begin(), settings.end());
    environment["PATH"] = fs::path(CONSENTRY_PROGRAM).parent_path().string() + ":" + std::getenv("PATH");
    // The guide to the first hour waits for the next authenticator code.
    const auto deadline = std::chrono::minutes{3};
    const CommandResult result = run_command({"bash", (folder / "guide.sh").string()}, environment, deadline);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, guide.prints) << result.err;
}

TEST(Guides, FirstHourAndAccountsDoWhatTheySay) { expect_pages_do_what_they_say({"first-hour.md", "accounts.md"}); }

TEST(Guides, TermPoliciesAndConsentDoWhatTheySay) {
    expect_pages_do_what_they_say({"term-policies.md", "consent.md", "consent-log.md", "consent-evidence.md"});
}

TEST(Guides, WitnessDoesWhatItSays) { expect_pages_do_what_they_say({"witness.md"}); }

// The lines of a page that are statements of SQL, in their order.
std::vector<std::string> statements_of(const char* page) {
    std::ifstream in(fs::path(CONSENTRY_DOCS) / "guides" / page);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("    ") && line.ends_with(";")) out.push_back(line.substr(line.find_first_not_of(' ')));
    return out;
}

// What a new log says that begins as docs/guides/backup.md tells.
TEST(Guides, ANewLogAfterARestoreTakesInAllThatTheDatabaseHas) {
    const TempFolder folder;
    const auto run = [&](std::vector<std::string> arguments, Settings settings = {}) {
        const Finished done = run_program(arguments, folder.path(), quick_settings(std::move(settings)));
        EXPECT_EQ(done.code, 0) << arguments[0] << " " << done.out << done.err;
        return done.out;
    };
    create_account(folder.path(), "ada@example.org", "superAdmin");
    run({"policy", "import", (fs::path(CONSENTRY_DOCS) / "examples" / "policies").string()});
    run({"policy", "publish", "privacy", "1"});
    run({"clean-up"});
    const std::string acts = run({"log", "show", "admin"});
    EXPECT_THAT(acts, AllOf(HasSubstr("adminUserCreate"), HasSubstr("adminTermPolicyPublish")));

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
    EXPECT_THAT(run({"verify", "database"}, settings), HasSubstr("The database matches the consent log: 1 entries"));
}

}  // namespace
}  // namespace consentry::tests
