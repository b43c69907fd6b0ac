// A coroutine that no caller waits for does not end unnoticed (base/unwatched.hpp).
#include <string>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

TEST(Coroutines, NoneIsStartedThatWouldEndInSilence) {
    std::size_t sources = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        ++sources;
        for (const std::string& line : lines_of(read_file(path)))
            EXPECT_FALSE(code_of(line).contains("asio::detached")) << path << ": " << line;
    }
    EXPECT_GT(sources, 0U);
}

}  // namespace
}  // namespace consentry::rules
