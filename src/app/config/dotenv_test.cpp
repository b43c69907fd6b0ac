#include "app/config/dotenv.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace consentry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(Dotenv, ReadsWhatPeopleWrite) {
    struct Case {
        std::string_view text, value;  // of A
    };
    for (const auto& [text, value] : {
             Case{"A=b", "b"},
             {"A=b\n", "b"},
             {"A=b\r\n", "b"},
             {"\xEF\xBB\xBF"
              "A=b",
              "b"},
             {"  A = b  ", "b"},
             {"export A=b", "b"},
             {"export\tA=b", "b"},
             {"A=", ""},
             {"A=  # nothing", ""},
             {"A=b # comment", "b"},
             {"A=b#c", "b#c"},
             {"A=#b", "#b"},
             {"A=#1 Shop # comment", "#1 Shop"},
             {"A= #b", ""},
             {"A=\t#b", ""},
             {"A=b=c", "b=c"},
             {"A=b c", "b c"},
             {"A='b # c'", "b # c"},
             {R"(A='b\n')", R"(b\n)"},
             {R"(A="b\n\t\"\\\$c" # comment)", "b\n\t\"\\$c"},
             {"A=\"one\ntwo\"", "one\ntwo"},
             {"A='one\r\ntwo'", "one\r\ntwo"},
             {"A=$HOME", "$HOME"},
             {"A=it's", "it's"},
             {"# comment\n\n   \n\t# another\nA=b", "b"},
         }) {
        const auto values = parse_dotenv(text);
        ASSERT_TRUE(values) << text;
        EXPECT_THAT(*values, ElementsAre(Pair("A", value))) << text;
    }
    EXPECT_TRUE(parse_dotenv("")->empty());
    EXPECT_THAT(*parse_dotenv("export=x"), ElementsAre(Pair("export", "x")));
}

TEST(Dotenv, BadLinesAreNamedByNumberAndNeverQuoted) {
    struct Case {
        std::string_view text;
        std::size_t line;
    };
    for (const auto& [text, line] : {
             Case{"secret", 1},
             {"A=b\nsecret value", 2},
             {"1A=secret", 1},
             {"A-B=secret", 1},
             {"=secret", 1},
             {"export =secret", 1},
             {"A=\"secret", 1},
             {"\n\nA='secret\nmore\n", 3},
             {"A=\"b\" secret", 1},
             {R"(A="secret\x")", 1},
             {"A=\"one\ntwo\" secret", 2},
             {"A=\"one\ntwo\"\nsecret", 3},
             {"A=secret\nB=c\nA=secret2", 3},
             {std::string_view("A=secret\0", 9), 1},
         }) {
        const auto values = parse_dotenv(text);
        ASSERT_FALSE(values) << text;
        ASSERT_EQ(values.error().size(), 1U) << text;
        EXPECT_EQ(values.error()[0].line, line) << text;
        EXPECT_THAT(values.error()[0].text, Not(HasSubstr("secret"))) << text;
    }
}

TEST(Dotenv, AllBadLinesAreReportedAtOnce) {
    const auto values = parse_dotenv("x\nA=b\ny\n");
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().size(), 2U);
}

class DotenvFile : public ::testing::Test {
protected:
    DotenvFile() {
        std::string pattern = (std::filesystem::temp_directory_path() / "consentry-dotenv-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~DotenvFile() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path write(const std::string& text) {
        std::ofstream(file()) << text;
        return file();
    }
    std::filesystem::path file() const { return folder_ / ".env"; }

private:
    std::filesystem::path folder_;
};

TEST_F(DotenvFile, TheEnvironmentWins) {
    const auto loaded = load_environment({{"A", "environment"}, {"B", "environment"}}, write("A=file\nC=file\n"));
    ASSERT_TRUE(loaded);
    EXPECT_THAT(loaded->values,
                UnorderedElementsAre(Pair("A", "environment"), Pair("B", "environment"), Pair("C", "file")));
    EXPECT_THAT(loaded->from_file, ElementsAre("C"));
}

TEST_F(DotenvFile, NeedNotExist) {
    const auto loaded = load_environment({{"A", "b"}}, file());
    ASSERT_TRUE(loaded);
    EXPECT_THAT(loaded->values, ElementsAre(Pair("A", "b")));
    EXPECT_TRUE(loaded->from_file.empty());
}

TEST_F(DotenvFile, AnUnreadableFileIsAProblem) {
    std::filesystem::create_directory(file());
    EXPECT_FALSE(load_environment({}, file()));
    std::filesystem::remove(file());
    EXPECT_FALSE(load_environment({}, write(std::string(1024 * 1024, '#') + "\n")));
    EXPECT_FALSE(load_environment({}, write("bad line")));
}

TEST(ProcessEnvironment, HasTheVariablesOfThisProcess) {
    ASSERT_EQ(::setenv("SOME_VARIABLE_OF_THIS_TEST", "with=equals", 1), 0);
    EXPECT_EQ(process_environment().at("SOME_VARIABLE_OF_THIS_TEST"), "with=equals");
    ::unsetenv("SOME_VARIABLE_OF_THIS_TEST");
}

}  // namespace
}  // namespace consentry
