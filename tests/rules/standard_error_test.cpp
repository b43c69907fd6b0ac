// Messages on standard error go through say(), which does not throw: a message that cannot be written would otherwise
// end the program, or stop its start.
#include <string>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

TEST(StandardError, NoMessageThatCannotBeWrittenIsAnException) {
    const boost::regex throwing(R"(\bprint(ln)?\(\s*stderr\b|\bstd::cerr\b)");
    int messages = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        const std::string text = joined_literals(read_file(path));
        if (text.contains("say(\"")) ++messages;
        EXPECT_FALSE(boost::regex_search(text, throwing)) << path << ": use say() of base/standard_error.hpp";
    }
    EXPECT_GT(messages, 10) << "nothing was read: is the working directory the project root?";
}

}  // namespace
}  // namespace consentry::rules
