// docs/guides/accounts.md, as somebody would type it: its blocks run in one shell, and print what the page says.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/process.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

constexpr std::string_view address = "http://localhost:3000";
constexpr std::string_view mark = "# -> ";

struct Guide {
    std::string script;
    std::string prints;
};

Guide read_guide(const std::string& file, std::uint16_t port) {
    std::ifstream in(file);
    EXPECT_TRUE(in.is_open()) << file;
    Guide out;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("```")) {
            inside = line == "```sh";
            continue;
        }
        if (!inside) continue;
        if (line.starts_with(mark)) out.prints += line.substr(mark.size()) + "\n";
        if (const auto at = line.find(address); at != std::string::npos)
            line.replace(at, address.size(), "http://127.0.0.1:" + std::to_string(port));
        out.script += line + "\n";
    }
    return out;
}

TEST(AccountsGuide, DoesWhatItSays) {
    const TempFolder folder;
    const ServiceProcess service(folder.path());
    const Guide guide = read_guide(CONSENTRY_ACCOUNTS_GUIDE, service.port());
    EXPECT_GT(guide.prints.size(), 100U);
    std::ofstream(folder / "guide.sh") << "set -euo pipefail\ncd '" << folder.path().string() << "'\n" << guide.script;
    const CommandResult result = run_command({"bash", (folder / "guide.sh").string()});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, guide.prints) << result.err;
}

}  // namespace
}  // namespace consentry::tests
