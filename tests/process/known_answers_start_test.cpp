// A primitive that computes wrong results stops the start, and every command that would use it.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/instrumented.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;

TEST(CRY_6, NothingStartsOnAPrimitiveThatIsWrong) {
    if (instrumented) GTEST_SKIP() << "sanitizers put a crypt(3) of their own in front of every other";
    const TempFolder folder;
    make_data(folder.path());  // with the right library
    const Settings wrong = quick_settings({{"LD_PRELOAD", CONSENTRY_WRONG_BCRYPT}});
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"serve"}, std::vector<std::string>{"config", "check"},
          std::vector<std::string>{"user", "list"}}) {
        const Finished ended = run_program(command, folder.path(), wrong);
        EXPECT_EQ(ended.code, 1) << command.front();
        EXPECT_THAT(ended.err, HasSubstr("bcrypt failed its known-answer test")) << command.front();
    }
    EXPECT_EQ(run_program({"config", "check"}, folder.path(), quick_settings()).code, 0);
}

}  // namespace
}  // namespace consentry::tests
