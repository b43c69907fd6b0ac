// Scripts work in the project root, but a path that they are given is relative to the caller's folder.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// The lines of a script that take a path from the arguments after the script has left the caller's folder.
std::vector<std::string> misled_lines(std::string_view script) {
    constexpr std::string_view leaves = R"(cd "$(dirname "${BASH_SOURCE[0]}")/..")";
    constexpr std::array<std::string_view, 3> arguments{R"("$1")", "${1:-", R"("$argument")"};
    std::vector<std::string> out;
    bool has_left = false;
    for (const std::string& line : lines_of(script)) {
        has_left = has_left || line.starts_with(leaves);
        const bool names_argument = std::ranges::any_of(
            arguments, [&](std::string_view argument) { return line.find(argument) != std::string::npos; });
        if (has_left && names_argument && line.find("realpath") != std::string::npos &&
            line.find(R"(cd "$caller")") == std::string::npos)
            out.push_back(line);
    }
    return out;
}

TEST(Scripts, PathsAreThoseOfTheCaller) {
    std::size_t scripts = 0;
    for (const std::string& path : files_below("script")) {
        ++scripts;
        for (const std::string& line : misled_lines(read_file(path)))
            ADD_FAILURE() << path << " resolves a path of the caller against the project root: " << line;
    }
    EXPECT_GT(scripts, 10u);
}

}  // namespace
}  // namespace consentry::rules
