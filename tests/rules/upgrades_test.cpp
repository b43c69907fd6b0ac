// Opening the database upgrades its schema unless the caller refuses that; the program that uses the database may be
// of the version before, which could not start again. Commands therefore open it through open_services()
// (app/commands/command_support.hpp), which refuses.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Files that open the database themselves, and why they may.
struct Opener {
    std::string_view path;
    std::string_view why;
};
constexpr std::array openers{
    Opener{"src/app/commands/command_support.cpp", "refuses to upgrade, for all commands"},
    Opener{"src/app/commands/config_commands.cpp", "is `migrate`, which upgrades"},
    Opener{"src/app/commands/doctor_command.cpp", "looks at the version first"},
    Opener{"src/app/commands/serve_command.cpp", "upgrades if it can start"},
    Opener{"src/app/commands/start_check.cpp", "opens an empty database of its own"},
    Opener{"src/app/copy/copy_database.cpp", "is `migrate --from`, which makes the schema of an empty target"},
    Opener{"src/app/engines.cpp", "defines open_database()"},
    Opener{"src/app/services.cpp", "passes on what the caller says"},
};

// Whether the file calls open_database(), or makes Services or an App: a variable, one on the heap, or a temporary.
bool opens_database(std::string_view source) {
    static const boost::regex opening(
        R"(\bopen_database\(|(?<!CLI::)\b(Services|App) \w+[({;]|\b(make_unique|make_shared|optional)<(Services|App)>|)"
        R"((?<![\w:~])(Services|App)[({][\w*])");
    return boost::regex_search(joined_literals(source), opening);
}

TEST(Upgrades, NoCommandUpgradesTheSchemaInPassing) {
    for (const std::string& path : files_below("src")) {
        if (!path.ends_with(".cpp") || is_unit_test(path)) continue;
        const bool is_named = std::ranges::find(openers, path, &Opener::path) != openers.end();
        EXPECT_EQ(opens_database(read_file(path)), is_named) << path << ": use open_services(), or no need to be named";
    }
}

TEST(Upgrades, TheSearchItself) {
    for (const auto* source :
         {"Services services(config, clock);", "const Services services{*config, clock};", "App app(*config, clock);",
          "std::make_unique<Services>(config, clock)", "std::optional<Services> services;", "open_database(*config);",
          "return Services(config, clock);", "Services services_;"})
        EXPECT_TRUE(opens_database(source)) << source;
    for (const auto* source : {"// Services services(config, clock);", "int work(Services& services, User user);",
                               "const auto services = open_services(clock);", "CLI::App program{\"Consentry\"};",
                               "Services::Services(const Config& given)", "App::~App() {", "class Services {};",
                               "with_account(choice, [](Services& services, const User& user) {"})
        EXPECT_FALSE(opens_database(source)) << source;
}

}  // namespace
}  // namespace consentry::rules
