// The commands for settings, and starts that fail because of unsafe settings (OPS-2).
#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string canary = "canary-4f1c9e-canary-4f1c9e-canary-4f1c9e";

TEST(ConfigCommands, TheDocumentsAreWhatTheProgramPrints) {
    // Tests run in the project's root.
    const TempFolder folder;
    const Finished docs = run_program({"config", "docs"}, folder.path(), {});
    EXPECT_EQ(docs.code, 0);
    EXPECT_TRUE(docs.out == text_in("docs/guides/configuration.md")) << "write it anew: consentry config docs";
    const Finished example = run_program({"config", "env-example"}, folder.path(), {});
    EXPECT_EQ(example.code, 0);
    EXPECT_TRUE(example.out == text_in(".env.example")) << "write it anew: consentry config env-example";
}

TEST(ConfigCommands, TheExampleIsAFileThatTheProgramReads) {
    const TempFolder folder;
    std::ofstream(folder / ".env") << run_program({"config", "env-example"}, folder.path(), {}).out;
    const Finished checked = run_program({"config", "check"}, folder.path(), {{"HTTP_PORT", "0"}});
    EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST(ConfigCommands, CheckTellsWhetherTheServiceWouldStart) {
    const TempFolder folder;
    EXPECT_EQ(run_program({"config", "check"}, folder.path(), {{"HTTP_PORT", "0"}}).code, 0);
    const Finished refused = run_program({"config", "check"}, folder.path(),
                                         {{"HTTP_PORT", "70000"}, {"APP_ENV", "prod"}, {"HTTP_PROXY", "x"}});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("HTTP_PORT"), HasSubstr("APP_ENV"), Not(HasSubstr("70000"))));
    EXPECT_THAT(refused.err, Not(HasSubstr("HTTP_PROXY"))) << "other programs' variables are nobody's business";
}

TEST(ConfigCommands, PrintShowsWhereEachValueComesFromAndNoSecret) {
    const TempFolder folder;
    std::ofstream(folder / ".env") << "APP_NAME=\"From The File\"\nAUTH_TWO_FACTOR_ENCRYPTION_KEY=" << canary << "\n";
    const Settings settings{{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", canary + "-access"},
                            {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", canary + "-refresh"},
                            {"HTTP_PORT", "4711"}};
    const Finished printed = run_program({"config", "print"}, folder.path(), settings);
    EXPECT_EQ(printed.code, 0) << printed.err;
    EXPECT_THAT(printed.out, HasSubstr("From The File"));
    EXPECT_THAT(printed.out, HasSubstr("4711"));
    EXPECT_THAT(printed.out, HasSubstr("AUTH_TWO_FACTOR_ENCRYPTION_KEY=***"));
    EXPECT_THAT(printed.out + printed.err, Not(HasSubstr("canary")));
}

// An address that is not understood may have its password anywhere.
TEST(OPS_2, NoCommandTellsThePasswordOfAnAddressThatIsUnfit) {
    const TempFolder folder;
    for (const auto& [setting, value] :
         std::vector<std::pair<std::string, std::string>>{{"DATABASE_URL", "host=db user=c password=canary-1"},
                                                          {"DATABASE_URL", "postgresql:c:canary-2@db/consentry"},
                                                          {"DATABASE_URL", "mysql://c:canary-3"},
                                                          {"CACHE_URL", "redis:c:canary-4@cache"},
                                                          {"MAIL_URL", "smtp:c:canary-5@mail.example.com"},
                                                          {"STORAGE_URL", "s3:c:canary-6@files.example.com"}}) {
        std::ofstream(folder / ".env") << setting << "=" << value << "\n";
        for (const std::vector<std::string>& arguments :
             {std::vector<std::string>{"config", "print"}, {"config", "print", "--json"}}) {
            const Finished printed = run_program(arguments, folder.path(), {});
            EXPECT_EQ(printed.code, 0) << printed.err;
            EXPECT_THAT(printed.out + printed.err,
                        AllOf(HasSubstr(setting), HasSubstr("***"), Not(HasSubstr("canary"))))
                << value;
        }
        for (const std::vector<std::string>& arguments :
             {std::vector<std::string>{"config", "check"}, {"config", "check", "--json"}, {"serve"}}) {
            const Finished refused = run_program(arguments, folder.path(), {});
            EXPECT_EQ(refused.code, 2) << value;
            EXPECT_THAT(refused.out + refused.err, AllOf(HasSubstr(setting), Not(HasSubstr("canary")))) << value;
        }
    }
}

TEST(OPS_2, NoCommandTellsASecretThatIsUnfit) {
    const TempFolder folder;
    const Settings settings{{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", canary},
                            {"AUTH_TWO_FACTOR_ENCRYPTION_KEY", canary + ",,"},
                            {"HTTP_PORT", "canary"}};
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"serve"}, {"config", "check"}, {"config", "print"}, {"migrate"}, {"user", "list"}}) {
        const Finished ended = run_program(arguments, folder.path(), settings);
        if (arguments.back() == "print") {
            EXPECT_THAT(ended.out, Not(HasSubstr("canary-"))) << "settings that are refused are printed, too";
        } else {
            EXPECT_EQ(ended.code, 2) << arguments.back() << ended.err;
            EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("canary")));
        }
    }
}

TEST(OPS_2, ProductionWithoutKeysNamesEachMissingSetting) {
    const TempFolder folder;
    for (const char* environment : {"production", "staging", "development"}) {
        const Finished refused = run_program({"serve"}, folder.path(), quick_settings({{"APP_ENV", environment}}));
        EXPECT_EQ(refused.code, 2);
        EXPECT_THAT(
            refused.err,
            AllOf(HasSubstr("AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY"), HasSubstr("AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY"),
                  HasSubstr("AUTH_TWO_FACTOR_ENCRYPTION_KEY"), HasSubstr("APP_ENCRYPTION_SECRET_KEY")));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "data")) << "a refused start leaves nothing behind";
}

TEST(OPS_2, AMisspelledSettingStopsTheStartAndIsGuessed) {
    const TempFolder folder;
    const struct {
        const char* name;
        const char* meant;
    } cases[] = {{"HTTP_PROT", "HTTP_PORT"},
                 {"AUTH_PASSWORD_MAX_ATEMPT", "AUTH_PASSWORD_MAX_ATTEMPT"},
                 {"auth_jwt_issuer", "AUTH_JWT_ISSUER"},
                 {"AUTH_TWO_FACTOR_ENCRYPTION_KEYS", "AUTH_TWO_FACTOR_ENCRYPTION_KEY"}};
    for (const auto& [name, meant] : cases) {
        const Finished refused = run_program({"serve"}, folder.path(), quick_settings({{name, "secret-value"}}));
        EXPECT_EQ(refused.code, 2) << name;
        EXPECT_THAT(refused.err, AllOf(HasSubstr(name), HasSubstr(std::string("did you mean ") + meant + "?"),
                                       Not(HasSubstr("secret-value"))));
    }
}

TEST(OPS_2, AVariableOfAnotherProgramIsNamedAndStopsNothing) {
    const TempFolder folder;
    const Settings shared = quick_settings({{"SMTP_PORT", "secret-value"},
                                            {"HTTPS_PORT", "secret-value"},
                                            {"SESSION_SECRET", "secret-value"},
                                            {"CACHE_TTL", "secret-value"}});
    ServiceProcess service(folder.path(), shared);
    EXPECT_EQ(service.client().get("/api/health").status, 200U);
    EXPECT_EQ(service.stop().code, 0);
    const std::string said = service.program().err();
    for (const char* warning :
         {"warning: SMTP_PORT: is not a Consentry setting and has no effect; it resembles HTTP_PORT\n",
          "it resembles HTTP_PORT\n", "it resembles SESSION_CHECK\n", "it resembles CACHE_TTL_IN_MS\n"})
        EXPECT_THAT(said, HasSubstr(warning));
    EXPECT_THAT(said, Not(HasSubstr("secret-value")));
}

TEST(OPS_2, ABrokenFileOfSettingsStopsTheStartAndNamesTheLine) {
    const TempFolder folder;
    std::ofstream(folder / ".env") << "APP_NAME=Shop\nthis is " << canary << "\n";
    const Finished refused = run_program({"serve"}, folder.path(), quick_settings());
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr(".env: line 2"), Not(HasSubstr("canary"))));
}

}  // namespace
}  // namespace consentry::tests
