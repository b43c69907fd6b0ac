// Tests that a process killed during its writes leaves every object whole, in a version no older than the last
// acknowledged one (STO-1, DOC-4).
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "storage/filesystem/filesystem_store.hpp"
#include "tests/contracts/killed_writer.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

// Starts the writer and kills it after it has printed `lines` lines. Returns the last number printed for each key.
std::map<std::string, int> write_until_killed(const std::filesystem::path& folder, int first, std::size_t lines) {
    const std::string printed =
        printed_until_killed({CONSENTRY_CRASH_FILE_WRITER, folder.string(), std::to_string(first)}, lines);

    std::map<std::string, int> last;
    std::istringstream words(printed);
    std::string key;
    for (int number = 0; words >> key >> number;) last[key] = number;
    return last;
}

TEST(FilesystemCrash, KilledAtAnyMomentEachObjectIsWholeAndNoOlderThanAcknowledged) {
    std::mt19937 random(20261122);
    std::uniform_int_distribution<std::size_t> moment(0, 120);
    const TempFolder folder;
    std::map<std::string, int> acknowledged;
    int rounds_with_leftovers = 0;
    // About one kill in ten interrupts a write. If none of the first 40 did, more rounds follow.
    const auto enough = [&](int rounds) { return rounds >= 200 || (rounds >= 40 && rounds_with_leftovers > 0); };
    for (int round = 0; !enough(round) && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        for (const auto& [key, number] : write_until_killed(folder.path(), round * 1'000, moment(random)))
            acknowledged[key] = number;
        if (std::filesystem::exists(folder / "unfinished") && !std::filesystem::is_empty(folder / "unfinished"))
            ++rounds_with_leftovers;
        storage::FilesystemStore store({.folder = folder.path(), .public_url = "", .secrets = {"-"}});
        for (const auto& [key, number] : acknowledged) {
            const auto object = run(store.get(storage::Area::public_area, "a/" + key + "/b.hbs", std::size_t{1} << 20));
            ASSERT_TRUE(object) << key;
            const auto colon = object->bytes.find(':');
            const int found = std::stoi(object->bytes);
            EXPECT_GE(found, number) << "acknowledged and lost";
            EXPECT_EQ(object->bytes.substr(colon + 1),
                      std::string(static_cast<std::size_t>(1'000 + found * 7'919 % 90'000),
                                  static_cast<char>('a' + found % 26)));
        }
    }
    EXPECT_EQ(acknowledged.size(), 4U);
    EXPECT_GT(rounds_with_leftovers, 0) << "never killed while writing: the test looked at nothing";
}

}  // namespace
}  // namespace consentry::tests
