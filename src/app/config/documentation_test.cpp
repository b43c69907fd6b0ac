#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "app/config/read_config.hpp"
#include "app/config/settings.hpp"
#include "base/whole_file.hpp"
#include "tests/support/config_problems.hpp"

namespace consentry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::problem_names;

std::string text_of(const std::string& file) { return read_whole_file(file).value(); }

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

TEST(SettingsDocumentation, TextIsUtf8AndNoLongerThanIsSaid) {
    // The name of a file is what the file system says, and keys are parsed later.
    const auto may_have_any_bytes = [](const SettingSpec& setting) {
        return setting.type.secret || setting.type.allowed.contains("path") || setting.name.ends_with("_PUBLIC_KEY");
    };
    for (const SettingSpec& setting : settings())
        for (const auto* value : {"\xff", "https://a.example\xff", "https://a.example/\xed\xa0\x80"})
            if (!may_have_any_bytes(setting))
                EXPECT_THAT(problem_names({{std::string(setting.name), value}}), ElementsAre(setting.name)) << value;
    const std::string two_hundred = "\u00fc" + std::string(199, 'a');
    EXPECT_EQ(read_config({{"AUTH_JWT_AUDIENCE", two_hundred}})->jwt.audience, two_hundred);
    EXPECT_THAT(problem_names({{"AUTH_JWT_AUDIENCE", two_hundred + "a"}}), ElementsAre("AUTH_JWT_AUDIENCE"));
    for (const auto* url : {"https://example.com\n", "https://example.com/\x01", "https://", "ftp://example.com"})
        EXPECT_THAT(problem_names({{"CONSENT_CONTROLLER_URL", url}}), ElementsAre("CONSENT_CONTROLLER_URL")) << url;
    for (const auto* url : {"", "https://example.com", "http://example.com/privacy?lang=en", "https://m\u00fcller.de"})
        EXPECT_THAT(problem_names({{"CONSENT_CONTROLLER_URL", url}}), IsEmpty()) << url;
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
