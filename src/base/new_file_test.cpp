#include "base/new_file.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/whole_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class NewFiles : public testing::Test {
protected:
    static std::string text_in(const fs::path& file) { return read_whole_file(file).value(); }
    std::size_t file_count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
    }

    const tests::TempFolder folder_;
    const fs::path file_ = folder_ / "key";
};

TEST_F(NewFiles, ReplacesWhatHasItsNameAndIsForItsOwnerAlone) {
    std::ofstream(file_) << "former";
    NewFile made(file_);
    made.write("one ");
    made.write("two");
    EXPECT_EQ(text_in(file_), "former") << "before it is complete";
    made.replace();
    EXPECT_EQ(text_in(file_), "one two");
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(NewFiles, KeepsTheModeOfTheFileThatItReplacesButNotForEverybody) {
    std::ofstream(file_) << "former";
    fs::permissions(file_, static_cast<fs::perms>(0644));
    NewFile made(file_);
    made.take_after(file_);
    made.replace();
    EXPECT_EQ(fs::status(file_).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(NewFiles, LeavesNothingIfItIsNotCompleted) {
    {
        NewFile(file_).write("half");
    }
    EXPECT_EQ(file_count(), 0U);
}

TEST_F(NewFiles, OfManyThatTakeAFreeNameOneWinsWithAllItsContent) {
    std::atomic<int> winners = 0;
    {
        std::vector<std::jthread> racers;
        for (char letter = 'a'; letter < 'i'; ++letter)
            racers.emplace_back([&, letter] {
                NewFile made(file_);
                made.write(std::string(10'000, letter));
                winners += made.take_free_name() ? 1 : 0;
            });
    }
    EXPECT_EQ(winners, 1);
    const std::string text = text_in(file_);
    EXPECT_EQ(text, std::string(10'000, text.at(0)));
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(NewFiles, NamesTheFileAndTheReasonIfItsFolderIsMissing) {
    try {
        replace_file(folder_ / "missing" / "key", "text");
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("cannot write " + (folder_ / "missing" / "key").string() + ": No such file"));
    }
}

// The kernel takes a part of the bytes and refuses the rest, as on a full disk.
TEST_F(NewFiles, AWriteThatIsCutOffLeavesTheFormerFile) {
    std::ofstream(file_) << "former";
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit former{};
    getrlimit(RLIMIT_FSIZE, &former);
    const rlimit small{.rlim_cur = 4096, .rlim_max = former.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(replace_file(file_, std::string(10'000, 'x')), std::system_error);
    setrlimit(RLIMIT_FSIZE, &former);
    EXPECT_EQ(text_in(file_), "former");
    EXPECT_EQ(file_count(), 1U);
}

TEST_F(NewFiles, AFolderIsForItsOwnerWithItsParents) {
    make_folder(folder_ / "a" / "b" / "");
    const auto mode = [&](const char* name) { return fs::status(folder_ / name).permissions(); };
    EXPECT_EQ(mode("a"), fs::perms::owner_all);
    EXPECT_EQ(mode("a/b"), fs::perms::owner_all);
    fs::permissions(folder_ / "a", static_cast<fs::perms>(0755));
    make_folder(folder_ / "a" / "c", 0750);
    EXPECT_EQ(mode("a"), static_cast<fs::perms>(0755)) << "it was there";
    EXPECT_EQ(mode("a/c"), static_cast<fs::perms>(0750));
}

TEST_F(NewFiles, WhatStandsInTheWayOfAFolderIsNamed) {
    std::ofstream(folder_ / "file") << "x";
    fs::create_symlink("/nowhere", folder_ / "link");  // such as to a volume that is not mounted
    const auto refusal_of = [](const fs::path& asked) -> std::string {
        try {
            make_folder(asked);
        } catch (const std::system_error& error) {
            return error.what();
        }
        return "made";
    };
    for (const char* below : {"", "below"}) {
        EXPECT_THAT(refusal_of(folder_ / "file" / below), HasSubstr("file: Not a directory"));
        EXPECT_THAT(refusal_of(folder_ / "link" / below), HasSubstr("link: No such file or directory"));
    }
}

}  // namespace
}  // namespace consentry
