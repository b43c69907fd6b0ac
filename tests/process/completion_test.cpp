// Completion in shells, and the manual pages: both are generated from the table of commands.
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

class Completion : public ::testing::Test {
protected:
    Completion() {
        for (const char* shell : {"bash", "zsh", "fish"}) {
            const Finished made = run_program({"completion", shell}, folder_.path(), {});
            EXPECT_EQ(made.code, 0) << made.err;
            std::ofstream(folder_ / shell) << made.out;
        }
        std::ofstream(folder_ / "export.json") << "{}";
    }
    // What bash offers for the last of the words, in its own way: through the function that `complete` has registered.
    std::vector<std::string> in_bash(const std::string& words) const {
        const std::string script = "cd '" + folder_.path().string() + "' && source ./bash && COMP_WORDS=(" + words +
                                   ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && "
                                   "function=$(complete -p consentry | sed 's/.*-F \\([^ ]*\\).*/\\1/') && "
                                   "\"$function\" && ((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\"; true";
        const auto done = run_command({"bash", "-u", "-c", script});
        EXPECT_EQ(done.err, "");
        return lines_of(done.out);
    }
    std::string in_shell(const std::string& shell, const std::string& script) const {
        const auto done = run_command({shell, "-c", "cd '" + folder_.path().string() + "'; " + script});
        EXPECT_EQ(done.code, 0) << done.err;
        return done.out;
    }
    const TempFolder folder_;
};

TEST_F(Completion, BashOffersCommands) {
    EXPECT_THAT(in_bash("consentry ''"), IsSupersetOf({"serve", "user", "init", "doctor", "backup", "--version"}));
    EXPECT_THAT(in_bash("consentry ''"), Not(Contains("manual"))) << "help does not list it either";
    EXPECT_THAT(in_bash("consentry us"), ElementsAre("user"));
    EXPECT_THAT(in_bash("consentry user un"), ElementsAre("unblock", "unlock"));
    EXPECT_THAT(in_bash("consentry user password ''"), IsSupersetOf({"set", "--help"}));
    EXPECT_THAT(in_bash("consentry frobnicate us"), ElementsAre("user")) << "an unknown word is passed over";
}

TEST_F(Completion, BashOffersOptionsAndTheirValues) {
    EXPECT_THAT(in_bash("consentry user list --"), IsSupersetOf({"--json", "--help"}));
    EXPECT_THAT(in_bash("consentry user list --"), Not(Contains("--email")));
    EXPECT_THAT(in_bash("consentry user import --from ''"),
                ElementsAre("csv", "keycloak", "auth0", "firebase", "supabase"));
    EXPECT_THAT(in_bash("consentry user import --from = k"), ElementsAre("keycloak"));
    EXPECT_THAT(in_bash("consentry policy publish p"), ElementsAre("privacy"));
    EXPECT_THAT(in_bash("consentry user show --email ''"), IsEmpty()) << "nobody knows";
}

TEST_F(Completion, BashOffersFilesWhereAFileIsMeant) {
    EXPECT_THAT(in_bash("consentry user import e"), ElementsAre("export.json"));
    EXPECT_THAT(in_bash("consentry consent export --out e"), ElementsAre("export.json"));
    EXPECT_THAT(in_bash("consentry --env-file e"), ElementsAre("export.json"));
}

TEST_F(Completion, FishOffersTheSame) {
    const auto offered = [&](const std::string& line) {
        std::vector<std::string> out;
        for (const std::string& one : lines_of(in_shell("fish", "source fish; complete -C '" + line + "'")))
            out.push_back(one.substr(0, one.find('\t')));
        return out;
    };
    EXPECT_THAT(offered("consentry us"), ElementsAre("user"));
    EXPECT_THAT(offered("consentry user un"), ElementsAre("unblock", "unlock"));
    EXPECT_THAT(offered("consentry user import --from "),
                ::testing::UnorderedElementsAre("csv", "keycloak", "auth0", "firebase", "supabase"));
    EXPECT_THAT(offered("consentry user list --j"), ElementsAre("--json"));
}

// zsh's own functions work only while it completes, so stand-ins print what they are given.
TEST_F(Completion, ZshOffersTheSame) {
    const auto offered = [&](const std::string& words) {
        return lines_of(in_shell("zsh",
                                 "_describe() { print -l -- \"${(@P)2}\" }; compadd() { shift; print -l -- \"$@\" }; "
                                 "_files() { print FILES }; _message() { print \"MESSAGE $1\" }; words=(" +
                                     words + "); CURRENT=${#words}; source ./zsh"));
    };
    EXPECT_THAT(offered("consentry ''"), Contains("user:Manages accounts"));
    EXPECT_THAT(offered("consentry user ''"), Contains("unblock:Makes a blocked or inactive account active again"));
    EXPECT_THAT(offered("consentry user import --from ''"),
                ElementsAre("csv", "keycloak", "auth0", "firebase", "supabase"));
    EXPECT_THAT(offered("consentry consent export --out ''"), ElementsAre("FILES"));
    EXPECT_THAT(offered("consentry user show --email ''"), ElementsAre("MESSAGE Email address of the account"));
    EXPECT_EQ(run_command({"zsh", "-n", (folder_ / "zsh").string()}).err, "");
}

TEST_F(Completion, AnotherShellIsUnknown) {
    const Finished refused = run_program({"completion", "tcsh"}, folder_.path(), {});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.out, "");
}

TEST_F(Completion, EveryCommandHasAManualPageWithoutFaults) {
    const Finished written = run_program({"manual", "pages"}, folder_.path(), {});
    EXPECT_EQ(written.code, 0) << written.err;
    std::set<std::string> pages;
    for (const auto& page : fs::directory_iterator(folder_ / "pages")) {
        pages.insert(page.path().filename());
        const auto shown =
            run_command({"man", "--warnings", "--encoding=utf8", "--local-file", "--pager=cat", page.path().string()},
                        {{"MANWIDTH", "80"}, {"LC_ALL", "C.UTF-8"}, {"MANROFFSEQ", ""}});
        EXPECT_EQ(shown.err, "") << page.path();
        EXPECT_THAT(shown.out, HasSubstr("NAME")) << page.path();
    }
    EXPECT_THAT(pages, IsSupersetOf({"consentry.1", "consentry.env.5", "consentry-user.1", "consentry-serve.1"}));
    std::ifstream file(folder_ / "pages/consentry-user.1");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("\\-\\-skip\\-existing"));
}

// Services, a command that asks, and those whose result is a document of another kind have no JSON.
TEST_F(Completion, EveryOtherCommandKnowsJson) {
    const std::set<std::string> others{
        "serve", "witness", "init", "completion", "config docs", "config env-example", "policy diff"};
    ASSERT_EQ(run_program({"manual", "pages"}, folder_.path(), {}).code, 0);
    std::set<std::string> without;
    std::set<std::string> with;
    for (const auto& page : fs::directory_iterator(folder_ / "pages")) {
        std::string command;
        for (std::string line : lines_of(text_in(page.path()))) {
            std::erase(line, '\\');
            const std::string mark = ".B consentry ";
            if (line.starts_with(mark)) without.insert(command = line.substr(mark.size()));
            if (line == ".SH DESCRIPTION") break;
            if (line.contains("--json")) with.insert(command);
        }
    }
    for (const std::string& command : with) without.erase(command);
    EXPECT_EQ(without, others);
    EXPECT_THAT(with, IsSupersetOf({"user block", "session revoke", "verify bundle", "log verify admin"}));
}

}  // namespace
}  // namespace consentry::tests
