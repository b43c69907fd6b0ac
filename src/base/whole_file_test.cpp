#include "base/whole_file.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"

namespace consentry {
namespace {

TEST(WholeFile, IsReadUpToOneByteMoreThanAllowed) {
    const tests::TempFolder folder;
    const auto file = folder.path() / "file";
    const std::string content = std::string(200'000, 'a') + std::string("\r\n\0b", 4);
    std::ofstream(file, std::ios::binary) << content;
    EXPECT_EQ(read_whole_file(file), content);
    EXPECT_EQ(read_whole_file(file, content.size()), content);
    EXPECT_EQ(read_whole_file(file, content.size() - 1), content) << "one byte tells that there are too many";
    EXPECT_EQ(read_whole_file(file, 3), "aaaa");
    std::ofstream(file, std::ios::trunc).flush();
    EXPECT_EQ(read_whole_file(file), "");
}

TEST(WholeFile, IsNoFolderAndExists) {
    const tests::TempFolder folder;
    EXPECT_EQ(read_whole_file(folder.path()), std::nullopt);
    EXPECT_EQ(read_whole_file(folder.path() / "missing"), std::nullopt);
}

}  // namespace
}  // namespace consentry
