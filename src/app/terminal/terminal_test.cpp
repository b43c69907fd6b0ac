#include "app/terminal/terminal.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "app/terminal/progress_bar.hpp"

namespace consentry {
namespace {

TEST(TerminalText, NothingInATextControlsATerminal) {
    EXPECT_EQ(on_one_line("Ada Lovelace"), "Ada Lovelace");
    EXPECT_EQ(on_one_line("Zoë 山田"), "Zoë 山田");
    EXPECT_EQ(on_one_line("a\x1b[31mb\tc\nd\x7f"), "a\uFFFD[31mb\uFFFDc\uFFFDd\uFFFD");
    EXPECT_EQ(on_one_line("a\u009B31m"), "a\uFFFD31m") << "the same as an escape and a bracket";
    EXPECT_EQ(on_its_lines("a\tb\r\nc\n\r\x1b[2J"), "a\tb\r\nc\n\uFFFD\uFFFD[2J");
}

TEST(TerminalText, WideCharactersTakeTwoCells) {
    EXPECT_EQ(cells_of(""), 0U);
    EXPECT_EQ(cells_of("Zoë"), 3U);
    EXPECT_EQ(cells_of("山田"), 4U);
    EXPECT_EQ(cells_of("e\u0301"), 1U) << "an accent that combines";
    EXPECT_EQ(cells_of("\xFF\xFE"), 2U) << "no UTF-8";
}

TEST(TerminalText, ColorsEndWhereTheTextEnds) {
    EXPECT_EQ(colored("ok", Color::green), "\x1b[32mok\x1b[0m");
    EXPECT_EQ(colored("ok", Color::none), "ok");
}

TEST(ProgressLine, TellsWhatIsDoneAndWhatIsLeft) {
    using std::chrono::seconds;
    EXPECT_EQ(progress_line("12 rows", 0.5, seconds{3}, 80), "[############------------]  50 %  12 rows, 3 s left");
    EXPECT_EQ(progress_line("12 rows", 0.25, seconds{60}, 80),
              "[######------------------]  25 %  12 rows, 3 min 0 s left");
    EXPECT_EQ(progress_line("12 rows", 0.01, seconds{100}, 80),
              "[------------------------]   1 %  12 rows, 2 h 45 min left");
    EXPECT_EQ(progress_line("12 rows", 1.0, seconds{3}, 80), "[########################] 100 %  12 rows");
    EXPECT_EQ(progress_line("12 rows", 0.001, seconds{3}, 80), "[------------------------]   0 %  12 rows")
        << "too early to tell";
    EXPECT_EQ(progress_line("12 rows", 7.0, seconds{3}, 80), "[########################] 100 %  12 rows");
}

TEST(ProgressLine, WithoutAnEndItOnlySaysWhatIsDone) {
    EXPECT_EQ(progress_line("12 rows", std::nullopt, std::chrono::seconds{3}, 80), "12 rows");
    constexpr double nothing_of_nothing = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(progress_line("0 rows", nothing_of_nothing, std::chrono::seconds{3}, 80), "0 rows");
}

TEST(ProgressLine, IsNoWiderThanTheTerminal) {
    EXPECT_EQ(progress_line("12 rows", 0.5, std::chrono::seconds{3}, 10), "[#########");
    EXPECT_EQ(progress_line("山田山田", std::nullopt, {}, 5), "山田");
    EXPECT_EQ(progress_line("山田", std::nullopt, {}, 0), "");
}

}  // namespace
}  // namespace consentry
