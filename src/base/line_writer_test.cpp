#include "base/line_writer.hpp"

#include <fstream>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "base/rotating_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using tests::TempFolder;

constexpr TimePoint noon = from_epoch_ms(1'700'000'000'000);

std::vector<std::string> lines_in(const fs::path& path) {
    std::vector<std::string> out;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

// A target that can block or fail and that records what it receives.
struct Place {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = true;     // if false, writes block
    bool working = true;  // if false, writes fail
    bool inside = false;
    std::vector<std::string> lines;
};
class PlaceTarget final : public LineTarget {
public:
    explicit PlaceTarget(Place& place) : place_(place) {}
    std::size_t write(std::string_view text) noexcept override {
        std::unique_lock lock(place_.mutex);
        place_.inside = true;
        place_.changed.notify_all();
        place_.changed.wait(lock, [this] { return place_.open; });
        place_.inside = false;
        if (!place_.working) return 0;
        for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
            place_.lines.emplace_back(rest.substr(0, rest.find('\n')));
        return text.size();
    }
    std::string trouble() const override { return "closed"; }
    std::string loss_note(std::uint64_t count) const override { return "lost " + std::to_string(count); }

private:
    Place& place_;
};

void set(Place& place, bool open, bool working) {
    const std::lock_guard lock(place.mutex);
    place.open = open;
    place.working = working;
    place.changed.notify_all();
}

TEST(LineWriter, WritesAllInOrderBeforeItEnds) {
    Place place;
    {
        LineWriter writer({.name = "test", .gather = std::chrono::hours{1}}, std::make_unique<PlaceTarget>(place));
        for (int i = 0; i < 10'000; ++i) writer.append("line " + std::to_string(i));
    }
    ASSERT_EQ(place.lines.size(), 10'000U);
    for (std::size_t i = 0; i < place.lines.size(); ++i) EXPECT_EQ(place.lines[i], "line " + std::to_string(i));
}

TEST(LOG_5, APlaceThatIsSlowLosesTheOldestLinesAndNobodyWaits) {
    Place place;
    constexpr std::uint64_t count = 100'000;
    std::uint64_t lost = 0;
    {
        LineWriter writer({.name = "test", .waiting_bytes_max = 1 << 20}, std::make_unique<PlaceTarget>(place));
        set(place, false, true);
        for (std::uint64_t i = 0; i < count; ++i) writer.append(std::string(100, 'x') + std::to_string(i));
        lost = writer.lost();
        EXPECT_GT(lost, count / 2);
        set(place, true, true);
    }
    EXPECT_TRUE(place.lines.back().ends_with("x" + std::to_string(count - 1))) << "the newest are kept";
    // One or more notes among the remaining lines report how many lines are missing.
    std::uint64_t told = 0;
    std::uint64_t notes = 0;
    for (const std::string& line : place.lines) {
        if (!line.starts_with("lost ")) continue;
        ++notes;
        told += std::stoul(line.substr(5));
    }
    EXPECT_EQ(told, lost);
    EXPECT_EQ(place.lines.size(), count - lost + notes);
}

TEST(LOG_5, LossIsCountedAndToldOnceThePlaceWorksAgain) {
    Place place;
    set(place, true, false);
    LineWriter writer({.name = "test"}, std::make_unique<PlaceTarget>(place));
    for (int i = 0; i < 3; ++i) {
        writer.append("gone");
        while (writer.lost() < static_cast<std::uint64_t>(i) + 1) std::this_thread::yield();
    }
    set(place, true, true);
    writer.append("kept");
    for (;;) {
        const std::lock_guard lock(place.mutex);
        if (place.lines.size() == 2) break;
    }
    EXPECT_THAT(place.lines, ElementsAre("lost 3", "kept"));
    EXPECT_EQ(writer.lost(), 3U);
}

TEST(RotatingFile, MakesItsFolderAndKeepsToItself) {
    const TempFolder folder;
    const fs::path path = folder / "security/events.log";
    RotatingFile file({.path = path, .file_mode = 0600, .folder_mode = 0700});
    EXPECT_EQ(file.write("a\n", noon), 2U);
    struct stat facts{};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    ASSERT_EQ(::stat(path.parent_path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST(RotatingFile, RotatesBySizeAndDropsTheOldest) {
    const TempFolder folder;
    RotatingFile file({.path = folder / "a.log", .bytes_max = 10, .old_files_max = 2});
    for (const auto* line : {"1234\n", "5678\n", "abcd\n", "efgh\n", "ijkl\n", "mnop\n", "qrst\n"})
        file.write(line, noon);
    EXPECT_THAT(lines_in(folder / "a.log"), ElementsAre("qrst"));
    EXPECT_THAT(lines_in(folder / "a.log.1"), ElementsAre("ijkl", "mnop"));
    EXPECT_THAT(lines_in(folder / "a.log.2"), ElementsAre("abcd", "efgh"));
    EXPECT_FALSE(fs::exists(folder / "a.log.3"));
}

TEST(RotatingFile, RotatesDailyIfConfigured) {
    const TempFolder folder;
    RotatingFile file({.path = folder / "a.log", .daily = true});
    RotatingFile steady({.path = folder / "b.log"});
    for (RotatingFile* each : {&file, &steady}) {
        each->write("today\n", noon);
        each->write("tomorrow\n", noon + std::chrono::days{1});
        each->write("later\n", noon + std::chrono::days{1} + std::chrono::seconds{1});
    }
    EXPECT_THAT(lines_in(folder / "a.log"), ElementsAre("tomorrow", "later"));
    EXPECT_THAT(lines_in(folder / "a.log.1"), ElementsAre("today"));
    EXPECT_THAT(lines_in(folder / "b.log"), ElementsAre("today", "tomorrow", "later"));
}

TEST(RotatingFile, TwoWritersLoseNothingWhileOneOfThemRotates) {
    const TempFolder folder;
    constexpr int count = 2'000;
    const auto write = [&](const std::string& who) {
        RotatingFile file({.path = folder / "a.log", .bytes_max = 4'000, .old_files_max = 1'000});
        for (int i = 0; i < count; ++i) file.write(who + std::to_string(i) + "\n", noon);
    };
    std::thread first(write, "first ");
    std::thread second(write, "second ");
    first.join();
    second.join();
    std::size_t lines = 0;
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        ++files;
        for (const std::string& line : lines_in(entry.path())) {
            ++lines;
            EXPECT_TRUE(line.starts_with("first ") || line.starts_with("second ")) << line;
        }
    }
    EXPECT_EQ(lines, 2U * count);
    EXPECT_GT(files, 8U);
}

TEST(RotatingFile, AFileThatIsGoneIsMadeAgainAndATornLineEnds) {
    const TempFolder folder;
    RotatingFile file({.path = folder / "a.log"});
    file.write("1\n", noon);
    fs::remove(folder / "a.log");
    file.write("2\n", noon);
    EXPECT_THAT(lines_in(folder / "a.log"), ElementsAre("2"));
    std::ofstream(folder / "b.log") << "torn";
    RotatingFile other({.path = folder / "b.log"});
    other.write("whole\n", from_epoch_seconds(::time(nullptr)));
    EXPECT_THAT(lines_in(folder / "b.log"), ElementsAre("torn", "whole"));
}

TEST(RotatingFile, ALineThatAnotherProcessIsWritingIsNotTorn) {
    // Regression: an empty line in the security event stream when one process started while another was writing.
    const TempFolder folder;
    std::ofstream other(folder / "a.log", std::ios::app);
    other << "begun " << std::flush;
    int pauses = 0;
    RotatingFile file({.path = folder / "a.log", .pause = [&] {
                           if (++pauses == 3) other << "and done\n" << std::flush;
                       }});
    file.write("next\n", from_epoch_seconds(::time(nullptr)));
    EXPECT_EQ(pauses, 3);
    EXPECT_THAT(lines_in(folder / "a.log"), ElementsAre("begun and done", "next"));
}

TEST(LOG_5, AFullDiskIsTold) {
    const TempFolder folder;
    fs::create_symlink("/dev/full", folder / "a.log");
    RotatingFile file({.path = folder / "a.log"});
    EXPECT_EQ(file.write("a\n", noon), 0U);
    EXPECT_TRUE(file.trouble().contains("No space left")) << file.trouble();
    fs::remove(folder / "a.log");
    EXPECT_EQ(file.write("a\n", noon), 2U) << "and works again when there is room";
}

}  // namespace
}  // namespace consentry
