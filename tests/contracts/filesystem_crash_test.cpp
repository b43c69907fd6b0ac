// A process that is killed in the middle of its writes leaves each object whole, in a version not older than the last
// one that was acknowledged (STO-1, DOC-4).
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <spawn.h>

#include "storage/filesystem/filesystem_store.hpp"
#include "support/run.hpp"
#include "support/temp_folder.hpp"

namespace consentry::tests {
namespace {

// Starts the writer, kills it once it has printed `lines` lines; the last number that it printed for each key.
std::map<std::string, int> write_until_killed(const std::filesystem::path& folder, int first, std::size_t lines) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string program = CONSENTRY_CRASH_FILE_WRITER;
    std::string folder_argument = folder.string();
    std::string first_argument = std::to_string(first);
    char* arguments[] = {program.data(), folder_argument.data(), first_argument.data(), nullptr};
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);

    std::string printed;
    std::size_t seen = 0;
    bool killed = false;
    char buffer[4096];
    for (;;) {
        if (!killed && seen >= lines) {
            ::kill(child, SIGKILL);
            killed = true;
        }
        const ssize_t got = ::read(ends[0], buffer, sizeof(buffer));
        if (got <= 0) break;
        printed.append(buffer, static_cast<std::size_t>(got));
        for (ssize_t i = 0; i < got; ++i) seen += buffer[i] == '\n' ? 1 : 0;
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the writer ended by itself: " << status;

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
    // About every tenth falls into a write; where none of 40 did, more follow.
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
