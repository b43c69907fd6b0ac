// Tests that a process killed during its writes loses nothing that it acknowledged and leaves no partial transaction
// (STO-1, STO-2).
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "storage/sqlite/sqlite_database.hpp"
#include "tests/contracts/killed_writer.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

// Starts the writer and kills it after it has printed `lines` lines. Returns all numbers that it printed.
std::set<std::int64_t> write_until_killed(const std::filesystem::path& file, std::int64_t base, std::size_t lines) {
    const std::string printed =
        printed_until_killed({CONSENTRY_CRASH_WRITER, file.string(), std::to_string(base)}, lines);

    std::set<std::int64_t> numbers;
    for (std::size_t at = 0; at < printed.size();) {
        const std::size_t end = printed.find('\n', at);
        numbers.insert(std::stoll(printed.substr(at, end - at)));
        at = end + 1;
    }
    return numbers;
}

TEST(SqliteCrash, KilledAtAnyMomentNothingAcknowledgedIsLost) {
    std::mt19937 random(20261120);
    std::uniform_int_distribution<std::size_t> moment(0, 800);
    const TempFolder folder;
    std::set<std::int64_t> acknowledged;
    for (int round = 0; round < 40 && !HasFailure(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        // Some processes die while they open or migrate the file, others while they write. Each continues with what the
        // previous one left behind.
        const std::size_t lines = round % 6 == 0 ? 0 : moment(random);
        const auto printed = write_until_killed(folder / "test.db", round * 1'000'000, lines);
        acknowledged.insert(printed.begin(), printed.end());
        if (round == 0) continue;  // most likely died before it created the tables
        storage::SqliteDatabase database({.file = folder / "test.db"});
        const auto rows = run(database.query("SELECT a.id, b.id FROM a LEFT JOIN b ON a.id = b.id"));
        const auto alone = run(database.query("SELECT count(*) FROM b WHERE id NOT IN (SELECT id FROM a)"));
        EXPECT_EQ(alone[0].integer(0), 0);
        std::set<std::int64_t> found;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_FALSE(rows[i].is_null(1)) << "half a transaction: " << rows[i].integer(0);
            found.insert(rows[i].integer(0));
        }
        for (const auto id : acknowledged) EXPECT_TRUE(found.contains(id)) << "acknowledged and lost: " << id;
        EXPECT_EQ(run(database.query("SELECT * FROM pragma_integrity_check"))[0].text(0), "ok");
    }
    EXPECT_GT(acknowledged.size(), 500u);
}

}  // namespace
}  // namespace consentry::tests
