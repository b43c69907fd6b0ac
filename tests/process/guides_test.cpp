// Runs the code blocks of pages in docs/guides as a user would type them, in one shell, and compares the output with
// the pages.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include "tests/support/process.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

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

}  // namespace
}  // namespace consentry::tests
