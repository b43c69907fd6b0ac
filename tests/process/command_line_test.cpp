// The arguments of the command line, the folder in which a command runs, and its messages.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/process/terminal.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CommandLine, AnUnknownCommandIsNamed) {
    const TempFolder folder;
    const struct {
        std::vector<std::string> arguments;
        const char* says;
    } cases[] = {
        {{"frobnicate"}, "unknown command `consentry frobnicate`; run `consentry --help`"},
        {{"frobnicate", "--hard"}, "unknown command `consentry frobnicate`;"},
        {{"user", "frobnicate"}, "unknown command `consentry user frobnicate`; run `consentry user --help`"},
        {{"user", "password", "forget"}, "unknown command `consentry user password forget`;"},
        {{"user"}, "missing command; run `consentry user --help`"},
        {{}, "missing command; run `consentry --help`"},
        {{"serve", "now"}, "now"},
        {{"user", "create", "--role", "user"}, "--email is required"},
    };
    for (const auto& [arguments, says] : cases) {
        const Finished refused = run_program(arguments, folder.path(), quick_settings());
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.err, HasSubstr(says));
    }
}

TEST(CommandLine, AMistakeIsExplainedWithTheFullNameOfTheCommand) {
    const TempFolder folder;
    const struct {
        std::vector<std::string> arguments;
        const char* says;
    } cases[] = {
        {{"user", "list", "--all"}, "consentry: unknown option --all; run `consentry user list --help`."},
        {{"serve", "now", "please"}, "consentry: unexpected arguments: now please; run `consentry serve --help`."},
        {{"user", "list", "--env-file", "x"},
         "consentry: --env-file must precede the command: `consentry --env-file FILE user list`."},
        {{"user", "--env-file", "x", "list"}, "consentry: --env-file must precede the command"},
        {{"health", "--timeout", "0"}, "consentry: --timeout: "},
        {{"user", "create"}, "consentry: --email is required; run `consentry user create --help`."},
        {{"user", "show", "--email", "a", "--id", "b"},
         "consentry: --email excludes --id; run `consentry user show --help`."},
    };
    for (const auto& [arguments, says] : cases) {
        const Finished refused = run_program(arguments, folder.path(), quick_settings());
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.err, HasSubstr(says));
        EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
    }
}

TEST(CommandLine, HelpShowsEachOptionInOneForm) {
    const TempFolder folder;
    const auto help = [&](std::vector<std::string> command) {
        command.emplace_back("--help");
        const Finished shown = run_program(command, folder.path(), quick_settings());
        EXPECT_EQ(shown.code, 0);
        EXPECT_EQ(shown.err, "");
        return shown.out;
    };
    EXPECT_THAT(help({"user", "show"}),
                AllOf(HasSubstr("Usage: consentry user show [OPTIONS]"), HasSubstr("--email TEXT   "),
                      HasSubstr("address of the account (not with --id)\n"), Not(HasSubstr("Excludes"))));
    EXPECT_THAT(help({"health"}), AllOf(HasSubstr("--timeout INT   "), Not(HasSubstr("INT in"))));
    EXPECT_THAT(help({"user", "import"}), AllOf(HasSubstr("--from TEXT   "), Not(HasSubstr("{csv"))));
    EXPECT_THAT(help({"user", "create"}), HasSubstr("--email TEXT REQUIRED"));
    EXPECT_THAT(help({"policy", "publish"}), HasSubstr("termsOfService, privacy, marketing or cookies"));
}

// In the wrong folder, a command would otherwise create a second installation and change that one.
TEST(CommandLine, ACommandInAFolderWithoutDataSaysSoAndMakesNone) {
    const TempFolder folder;
    std::ofstream(folder / "users.csv") << "email;name\nada@example.org;Ada\n";
    fs::create_directories(folder / "texts");
    const auto before = std::distance(fs::recursive_directory_iterator(folder.path()), {});
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"user", "create", "--email", "ada@example.org", "--role", "user"},
                                               {"user", "list"},
                                               {"user", "password", "set", "--email", "ada@example.org"},
                                               {"user", "two-factor", "reset", "--email", "ada@example.org"},
                                               {"user", "import", "users.csv"},
                                               {"apikey", "create", "--name", "shop", "--type", "default"},
                                               {"apikey", "list"},
                                               {"apikey", "delete", "--key", "x"},
                                               {"keys", "rotate"},
                                               {"policy", "import", "texts"},
                                               {"policy", "publish", "privacy", "1"},
                                               {"policy", "list"},
                                               {"policy", "diff", "privacy", "1", "2"},
                                               {"clean-up"}}) {
        const Finished refused = run_program(arguments, folder.path(), quick_settings(), right_password + "\n");
        EXPECT_EQ(refused.code, 2) << arguments.back();
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.err,
                    AllOf(HasSubstr("the database " + (fs::canonical(folder.path()) / "data/consentry.db").string()),
                          HasSubstr("consentry serve")));
        EXPECT_EQ(std::distance(fs::recursive_directory_iterator(folder.path()), {}), before) << arguments.back();
    }
    EXPECT_EQ(run_program({"migrate"}, folder.path(), quick_settings()).code, 0);
    EXPECT_EQ(run_program({"user", "list"}, folder.path(), quick_settings()).code, 0);
}

TEST(CommandLine, CleanUpErasesAtOnceWhatIsDue) {
    const TempFolder folder;
    const Person ada = make_person(folder.path(), "ada@example.org");
    const Person bob = make_person(folder.path(), "bob@example.org");
    const ServiceProcess service(folder.path());
    const TokenTexts tokens = tokens_of(service.client(), ada);
    EXPECT_EQ(service.client().erase("/api/shared/user/delete/self", {}, bearer(tokens.access)).status, 204U);
    const auto rows = [&] {
        return run_sql(folder / "data/consentry.db", "SELECT id FROM users WHERE id = '" + ada.id.text() + "'").size();
    };
    EXPECT_TRUE(eventually([&] { return run_sql(folder / "data/consentry.db", "SELECT id FROM mails").empty(); }))
        << "the notice of the deletion";
    const Finished nothing = run_program({"clean-up"}, folder.path(), quick_settings());
    EXPECT_EQ(nothing.code, 0) << nothing.err;
    EXPECT_EQ(nothing.out, "Erased 0 deleted accounts and 0 records of consent.\n");
    EXPECT_EQ(rows(), 1U) << "thirty days are not over";
    const Finished done =
        run_program({"clean-up"}, folder.path(), quick_settings({{"ACCOUNT_ERASE_AFTER_IN_DAYS", "0"}}));
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out, "Erased 1 deleted account and 0 records of consent.\n");
    EXPECT_EQ(rows(), 0U);
    EXPECT_EQ(log_in(service.client(), bob).status, 200U);
}

TEST(CommandLine, CleanUpLogsTheActsOfAnAccountBeforeItErasesTheAccount) {
    const TempFolder folder;
    const Person ada = make_person(folder.path(), "ada@example.org");
    const Environment settings = quick_settings({{"ACCOUNT_ERASE_AFTER_IN_DAYS", "0"}});
    const Finished deleted = run_program({"user", "delete", "--id", ada.id.text(), "--yes"}, folder.path(), settings);
    ASSERT_EQ(deleted.code, 0) << deleted.err;
    run_sql(folder / "data/consentry.db", "UPDATE mails SET failed_at = 1");
    const Finished done = run_program({"clean-up"}, folder.path(), settings);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out, "Erased 1 deleted account and 0 records of consent.\n");
    EXPECT_EQ(run_sql(folder / "data/consentry.db", "SELECT count(*) FROM log_entries WHERE log = 'administration'")
                  .at(0)
                  .at(0),
              "2")
        << "its creation and its deletion";
}

TEST(CommandLine, CleanUpPublishesTheConsentLog) {
    const TempFolder folder;
    make_person(folder.path(), "ada@example.org");
    const auto logs = [&] { return run_sql(folder / "data/consentry.db", "SELECT name FROM logs ORDER BY name"); };
    EXPECT_TRUE(logs().empty());
    EXPECT_EQ(run_program({"clean-up"}, folder.path(), quick_settings()).code, 0);
    ASSERT_EQ(logs().size(), 2U);
    EXPECT_EQ(logs().at(0).at(0), "administration");
    EXPECT_EQ(logs().at(1).at(0), "consent");
}

TEST(CommandLine, AtATerminalAPasswordIsAskedForTwiceAndNotShown) {
    const TempFolder folder;
    make_data(folder.path());
    const std::vector<std::string> create{"user", "create", "--email", "ada@example.org", "--role", "user"};
    {
        Terminal terminal(create, folder.path());
        terminal.answer("Password: ", right_password);
        terminal.answer("Repeat password: ", right_password + "!");
        const auto [screen, code] = terminal.end();
        EXPECT_EQ(code, 1);
        EXPECT_THAT(screen, AllOf(HasSubstr("the passwords do not match"), Not(HasSubstr(right_password))));
    }
    EXPECT_EQ(run_program({"user", "list"}, folder.path(), quick_settings()).out, "");
    {
        Terminal terminal(create, folder.path());
        terminal.answer("Password: ", right_password);
        terminal.answer("Repeat password: ", right_password);
        const auto [screen, code] = terminal.end();
        EXPECT_EQ(code, 0) << screen;
        EXPECT_THAT(screen, Not(HasSubstr(right_password)));
    }
    {
        Terminal terminal({"user", "password", "set", "--email", "ada@example.org"}, folder.path());
        terminal.answer("Password: ", "Copper-Meadow-77");
        terminal.answer("Repeat password: ", "Copper-Meadow-77");
        EXPECT_EQ(terminal.end().second, 0);
    }
    const ServiceProcess service(folder.path());
    EXPECT_EQ(log_in(service.client(), {.email = "ada@example.org", .password = "Copper-Meadow-77"}).status, 200U);
}

TEST(CommandLine, WhoInterruptsAPromptSeesAgainWhatTheyType) {
    const TempFolder folder;
    make_data(folder.path());
    for (const char* key : {"\x03", "\x04"}) {
        Terminal terminal({"user", "create", "--email", "ada@example.org", "--role", "user"}, folder.path());
        terminal.answer("Password: ", key);
        const auto [screen, code] = terminal.end();
        EXPECT_THAT(screen, HasSubstr("consentry: no password was entered; nothing was changed"));
        EXPECT_EQ(code, 1);
        EXPECT_TRUE(terminal.echoes());
    }
    EXPECT_EQ(run_program({"user", "list"}, folder.path(), quick_settings()).out, "");
}

TEST(CommandLine, TroubleWithFilesAndNamesIsASentence) {
    const TempFolder folder;
    std::ofstream(folder / "data") << "a file";
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"serve"}, {"migrate"}, {"config", "check"}}) {
        const Finished refused = run_program(arguments, folder.path(), quick_settings());
        EXPECT_NE(refused.code, 0);
        EXPECT_THAT(refused.err, AllOf(HasSubstr("Not a directory"), Not(HasSubstr("filesystem error")),
                                       Not(HasSubstr("[")), Not(HasSubstr("boost")), Not(HasSubstr(".hpp"))));
    }
    const TempFolder other;
    for (const auto& [setting, value] :
         Settings{{"HTTP_HOST", "no-such-host.invalid"}, {"CACHE_URL", "redis://no-such-host.invalid"}}) {
        const Finished checked = run_program({"config", "check"}, other.path(), quick_settings({{setting, value}}));
        EXPECT_THAT(checked.err,
                    AllOf(HasSubstr("no-such-host.invalid"), Not(HasSubstr("authoritative")), Not(HasSubstr("asio"))))
            << setting;
    }
}

TEST(CommandLine, ACommandMakesNoTables) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "data");
    std::ofstream(folder / "data" / "consentry.db").flush();
    const Finished listed = run_program({"user", "list"}, folder.path(), quick_settings());
    EXPECT_EQ(listed.code, 2);
    EXPECT_THAT(listed.err, HasSubstr("the database has no tables of Consentry. Check DATA_DIR or DATABASE_URL."));
    EXPECT_EQ(std::filesystem::file_size(folder / "data" / "consentry.db"), 0U);
    run_sql(folder / "data" / "consentry.db", "CREATE TABLE notes (text)");
    const Finished of_another = run_program({"user", "list"}, folder.path(), quick_settings());
    EXPECT_EQ(of_another.code, 2);
    EXPECT_THAT(of_another.err, HasSubstr("the database has no tables of Consentry. Check DATA_DIR or DATABASE_URL."));
    EXPECT_EQ(run_sql(folder / "data" / "consentry.db", "SELECT name FROM sqlite_schema"), SqlRows{{"notes"}});
}

}  // namespace
}  // namespace consentry::tests
