#include "tests/support/shell.hpp"

#include <stdexcept>

#include <gmock/gmock.h>

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

TEST(Shell, TellsWhatACommandSaidAndItsCode) {
    const CommandResult result = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
    EXPECT_EQ(result.out, "out\n");
    EXPECT_EQ(result.err, "err\n");
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(run_command({"sh", "-c", "kill -KILL $$"}).code, -1);
}

TEST(Shell, ThrowsWhatAFailedCommandSaid) {
    EXPECT_EQ(output_of({"echo", "good"}), "good\n");
    EXPECT_THAT([] { output_of({"sh", "-c", "echo why >&2; exit 1"}); },
                testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("why")));
    EXPECT_THROW(run_command({"there-is-no-such-command"}), std::runtime_error);
}

TEST(Shell, AddsToTheEnvironment) {
    EXPECT_EQ(output_of({"sh", "-c", "echo $WORD $HOME"}, {{"WORD", "a"}, {"HOME", "b"}}), "a b\n");
}

TEST(Shell, DoesNotWaitForWhatGoesOnInTheBackground) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string pid = output_of({"sh", "-c", "sleep 30 & echo $!"});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
    run_command({"kill", pid.substr(0, pid.find('\n'))});
}

TEST(Shell, EndsWhatTakesTooLong) { EXPECT_THROW(run_command({"sleep", "30"}, {}, 50ms), std::runtime_error); }

TEST(Shell, ReadsNamedValues) {
    EXPECT_THAT(
        named_values("A=1\nnothing\nB=x=y\nC="),
        testing::UnorderedElementsAre(testing::Pair("A", "1"), testing::Pair("B", "x=y"), testing::Pair("C", "")));
}

}  // namespace
}  // namespace consentry::tests
