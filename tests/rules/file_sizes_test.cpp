// A source file that exceeds the limit must be split.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

constexpr std::size_t file_lines_max = 400;

struct LongFile {
    std::string_view path;
    std::string_view reason;  // why the file cannot be split
};
const std::vector<LongFile> long_files{};

TEST(FileSizes, NoSourceIsTooLongToRead) {
    std::size_t files = 0;
    for (const std::string& path : files_below("src")) {
        ++files;
        if (std::ranges::find(long_files, path, &LongFile::path) != long_files.end()) continue;
        EXPECT_LE(lines_of(read_file(path)).size(), file_lines_max) << path;
    }
    EXPECT_GT(files, 0u) << "nothing was read: is the working directory the project root?";
}

TEST(FileSizes, ExceptionsAreNeededAndExplained) {
    for (const auto& [path, reason] : long_files) {
        EXPECT_FALSE(reason.empty()) << path;
        ASSERT_TRUE(std::filesystem::exists(path)) << path;
        EXPECT_GT(lines_of(read_file(std::string(path))).size(), file_lines_max) << path << " is no exception any more";
    }
}

}  // namespace
}  // namespace consentry::rules
