// Tests that look-ups answered from memory are never older than the last commit, whichever process made it.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using storage::SqliteDatabase;

class SqliteReader : public ::testing::Test {
protected:
    SqliteReader() {
        ours.migrate({{1, "0001_t.sql", {"CREATE TABLE t (name TEXT PRIMARY KEY, value BIGINT NOT NULL);"}}});
        run(ours.execute("INSERT INTO t (name, value) VALUES ('a', 0)"));
    }
    static std::int64_t look_up(SqliteDatabase& database) {
        const auto rows = run(database.query("SELECT value FROM t WHERE name = $1", "a"));
        return rows[0].integer(0);
    }
    static void set(SqliteDatabase& database, std::int64_t value) {
        run(database.execute("UPDATE t SET value = $1 WHERE name = 'a'", value));
    }
    TempFolder folder;
    SqliteDatabase ours{{.file = folder / "test.db"}};
};

TEST_F(SqliteReader, SeesEveryCommitOfItsOwnAndOfOthers) {
    SqliteDatabase others({.file = folder / "test.db"});
    for (std::int64_t value = 1; value <= 2'000; ++value) {
        EXPECT_EQ(look_up(ours), value - 1);
        set(value % 2 == 0 ? ours : others, value);
        ASSERT_EQ(look_up(ours), value);
        ASSERT_EQ(look_up(others), value);
    }
}

TEST_F(SqliteReader, SeesCommitsAfterTheLogWasEmptied) {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open((folder / "test.db").c_str(), &other), SQLITE_OK);
    sqlite3_busy_timeout(other, 5'000);
    for (std::int64_t value = 1; value <= 200; ++value) {
        EXPECT_EQ(look_up(ours), value - 1);
        const std::string update = "UPDATE t SET value = " + std::to_string(value);
        ASSERT_EQ(sqlite3_exec(other, update.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        ASSERT_EQ(look_up(ours), value);
        // A fresh log with the same number of frames must not be mistaken for the former one.
        ASSERT_EQ(sqlite3_exec(other, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    sqlite3_close(other);
}

TEST_F(SqliteReader, ALookUpThatFoundNothingSeesWhatComes) {
    const auto find = [this] { return run(ours.query("SELECT value FROM t WHERE name = $1", "b")).size(); };
    EXPECT_EQ(find(), 0U);
    EXPECT_EQ(find(), 0U);
    run(ours.execute("INSERT INTO t (name, value) VALUES ('b', 1)"));
    EXPECT_EQ(find(), 1U);
    run(ours.execute("DELETE FROM t WHERE name = 'b'"));
    EXPECT_EQ(find(), 0U);
}

TEST_F(SqliteReader, ManyThreadsNeverSeeLessThanWasAcknowledged) {
    std::atomic<std::int64_t> acknowledged{0};
    std::atomic<bool> done{false};
    std::atomic<int> stale{0};
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] {
            while (!done.load()) {
                const std::int64_t least = acknowledged.load();
                if (look_up(ours) < least) stale.fetch_add(1);
            }
        });
    for (std::int64_t value = 1; value <= 1'000; ++value) {
        set(ours, value);
        acknowledged.store(value);
    }
    done.store(true);
    readers.clear();
    EXPECT_EQ(stale.load(), 0);
}

TEST_F(SqliteReader, MoreKeysThanItKeepsAreAnsweredRight) {
    storage::Transaction many;
    for (int i = 0; i < 6'000; ++i)
        many.add(storage::Expect::one, "INSERT INTO t (name, value) VALUES ($1, $2)", "n" + std::to_string(i), i);
    ASSERT_TRUE(run(ours.commit(std::move(many))).committed);
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 6'000; ++i) {
            const auto rows = run(ours.query("SELECT value FROM t WHERE name = $1", "n" + std::to_string(i)));
            ASSERT_EQ(rows[0].integer(0), i);
        }
}

}  // namespace
}  // namespace consentry::tests
