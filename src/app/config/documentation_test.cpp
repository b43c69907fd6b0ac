#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "app/config/config.hpp"
#include "app/config/settings.hpp"

namespace consentry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Reads the files of the repository, because tests run in the project root.
TEST(SettingsDocumentation, TheGuideIsUpToDate) {
    EXPECT_EQ(text_of("docs/guides/configuration.md"), settings_markdown())
        << "write it anew: consentry config docs > docs/guides/configuration.md";
}
TEST(SettingsDocumentation, TheEnvExampleIsUpToDate) {
    EXPECT_EQ(text_of(".env.example"), settings_env_example())
        << "write it anew: consentry config env-example > .env.example";
}

TEST(SettingsDocumentation, EverySettingIsDocumentedOnceAndReadsItsOwnDefault) {
    std::set<std::string_view> names;
    std::set<std::string_view> groups;
    std::string_view group;
    for (const SettingSpec& setting : settings()) {
        EXPECT_TRUE(names.insert(setting.name).second) << setting.name << " stands twice";
        if (setting.group != group)
            EXPECT_TRUE(groups.insert(setting.group).second) << setting.group << " is torn apart";
        group = setting.group;
        EXPECT_GE(setting.description.size(), 20U) << setting.name;
        EXPECT_TRUE(setting.description.ends_with('.')) << setting.name;
        EXPECT_FALSE(setting.type.allowed.empty()) << setting.name;
        EXPECT_THAT(settings_markdown(), HasSubstr("| `" + std::string(setting.name) + "`"));
        EXPECT_THAT(settings_env_example(), HasSubstr("\n#" + std::string(setting.name) + "="));

        Config config;
        if (!setting.derived) EXPECT_TRUE(setting.type.read(setting.default_text, config)) << setting.name;
        if (!setting.derived) EXPECT_EQ(setting.type.show(config), setting.default_text) << setting.name;
        if (!setting.example.empty()) EXPECT_TRUE(setting.type.read(setting.example, config)) << setting.name;
    }
}

TEST(SettingsDocumentation, NoSecretHasADefaultOrAnExampleThatCouldBeUsed) {
    for (const SettingSpec& setting : settings()) {
        if (!setting.type.secret) continue;
        EXPECT_TRUE(setting.derived) << setting.name;
        EXPECT_TRUE(setting.example.empty()) << setting.name;
    }
}

// Uncommenting every line must yield a valid configuration.
TEST(SettingsDocumentation, TheEnvExampleIsAllowedThroughout) {
    std::istringstream lines(settings_env_example());
    std::string uncommented;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with('#') && !line.starts_with("# ") && !line.ends_with('='))
            uncommented += line.substr(1) + "\n";
    const auto environment = parse_dotenv(uncommented);
    ASSERT_TRUE(environment) << environment.error().front().line << environment.error().front().text;
    EXPECT_GT(environment->size(), settings().size() - 11);
    const auto config = read_config(*environment);
    EXPECT_TRUE(config) << config.error().front().setting << ' ' << config.error().front().text;
}

TEST(SettingsDocumentation, ARefusalSaysOnceWhatAValueMustBe) {
    Config config;
    for (const SettingSpec& setting : settings())
        for (const auto* value : {"", "bad_host!", "-1", ",", "://", "a,b"})
            if (const auto read = setting.type.read(value, config); !read)
                EXPECT_THAT(read.error(), Not(HasSubstr("must be must"))) << setting.name << "=" << value;
}

TEST(PrintConfig, ShowsEverySettingWithItsOrigin) {
    const std::string text =
        print_config({{"HTTP_PORT", "8080"}, {"APP_NAME", "Shop"}, {"PATH", "/bin"}}, {"APP_NAME"});
    EXPECT_THAT(text, HasSubstr("\nHTTP_PORT=8080  # environment\n"));
    EXPECT_THAT(text, HasSubstr("APP_NAME=Shop  # .env\n"));
    EXPECT_THAT(text, HasSubstr("\nAUTH_TWO_FACTOR_ISSUER=Shop  # default\n"));
    EXPECT_THAT(text, HasSubstr("\nDATABASE_URL=sqlite:./data/consentry.db  # default\n"));
    EXPECT_THAT(text, HasSubstr("\nAUTH_JWT_REFRESH_TOKEN_EXPIRED=30d  # default\n"));
    EXPECT_THAT(text, HasSubstr("\nAUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY=  # default\n"));
    EXPECT_THAT(text, Not(HasSubstr("PATH=/bin")));
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), settings().size());
}

TEST(PrintConfig, LOG_7_SecretsAreMaskedAlsoWhereTheyAreRefused) {
    Environment environment{{"DATABASE_URL", "postgresql://user:hunter2@db/x"},
                            {"CACHE_URL", "redis://:hunter2@cache"}};
    for (const SettingSpec& setting : settings())
        if (setting.type.secret) environment[std::string(setting.name)] = "hunter2,\nhunter2";
    const std::string text = print_config(environment);
    EXPECT_THAT(text, Not(HasSubstr("hunter2")));
    EXPECT_THAT(text, HasSubstr("\nAUTH_TWO_FACTOR_ENCRYPTION_KEY=***  # environment\n"));
    EXPECT_THAT(text, HasSubstr("\nAUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY=***  # environment\n"));
    EXPECT_THAT(text, HasSubstr("\nDATABASE_URL=postgresql://user:***@db/x  # environment\n"));
}

}  // namespace
}  // namespace consentry
