// Tests the writer thread and the readers of the SQLite engine: limits, groups, the size of the log, and threads that
// come and go.
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/faulty_vfs.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::Rows;
using storage::SqliteDatabase;
using storage::SqliteOptions;

const std::vector<storage::Migration>& written_tables() {
    static const std::vector<storage::Migration> out{
        {1,
         "0001_t.sql",
         {"CREATE TABLE t (id BIGINT PRIMARY KEY, fill TEXT);",
          "CREATE TABLE u (id BIGINT PRIMARY KEY, t BIGINT REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED);"}}};
    return out;
}

class SqliteWriter : public ::testing::Test {
protected:
    std::unique_ptr<SqliteDatabase> open(SqliteOptions options = {}) {
        options.file = folder / "test.db";
        auto database = std::make_unique<SqliteDatabase>(options);
        database->migrate(written_tables());
        return database;
    }
    TempFolder folder;
};

awaitable<Rows> insert_filled(storage::Database& on, int id, std::size_t size = 10) {
    return on.execute("INSERT INTO t (id, fill) VALUES ($1, $2)", id, std::string(size, 'x'));
}

TEST_F(SqliteWriter, RefusesWhatItsQueueCannotHold) {
    const auto database = open({.writer_queue_max = 0});
    EXPECT_THROW(run(insert_filled(*database, 1)), Unavailable);
    EXPECT_EQ(run(database->query("SELECT count(*) FROM t"))[0].integer(0), 0);
}

TEST_F(SqliteWriter, RefusesWhenAnotherProcessHoldsTheFileTooLong) {
    const auto database = open({.busy_timeout = std::chrono::milliseconds{20}});
    storage::sqlite::Connection holder({.file = folder / "test.db"});
    holder.run("BEGIN IMMEDIATE");
    EXPECT_THROW(run(insert_filled(*database, 1)), Unavailable);
    EXPECT_NO_THROW(run(database->ping()));  // busy does not mean broken
    EXPECT_EQ(run(database->query("SELECT count(*) FROM t"))[0].integer(0), 0);
    holder.run("ROLLBACK");
    EXPECT_NO_THROW(run(insert_filled(*database, 1)));
}

TEST_F(SqliteWriter, DestructionFinishesWhatWasAccepted) {
    asio::io_context context{1};
    auto database = open();
    int done = 0;
    for (int id = 0; id < 300; ++id)
        asio::co_spawn(context, insert_filled(*database, id), [&](std::exception_ptr error, const Rows&) {
            if (!error) ++done;
        });
    for (int i = 0; i < 300; ++i) context.poll_one();
    database.reset();
    context.run();
    EXPECT_EQ(done, 300);
    EXPECT_EQ(run(open()->query("SELECT count(*) FROM t"))[0].integer(0), 300);
}

TEST_F(SqliteWriter, ADeferredForeignKeyFailsOnlyItsOwner) {
    const auto database = open();
    std::vector<awaitable<Rows>> works;
    for (int id = 0; id < 20; ++id)
        works.push_back(id == 7 ? database->execute("INSERT INTO u (id, t) VALUES (1, 99)")
                                : insert_filled(*database, id));
    const auto ended = run_all(std::move(works), 1);
    for (std::size_t i = 0; i < ended.size(); ++i) EXPECT_EQ(ended[i].has_value(), i != 7) << i;
    EXPECT_EQ(run(database->query("SELECT count(*) FROM t"))[0].integer(0), 19);
}

awaitable<int> keep_reading(storage::Database& on, const std::stop_token& stop) {
    int reads = 0;
    for (; !stop.stop_requested(); ++reads) co_await on.query("SELECT count(*) FROM t WHERE id > $1", 1'000'000);
    co_return reads;
}

// Writes half a megabyte per round, and calls `after_each` round.
void write_filled(SqliteDatabase& database, int rounds, const std::function<void()>& after_each, int first_id = 0) {
    for (int round = 0; round < rounds; ++round) {
        std::vector<awaitable<Rows>> works;
        for (int i = 0; i < 40; ++i) works.push_back(insert_filled(database, first_id + round * 40 + i, 12'000));
        values_of(std::move(works), 1);
        after_each();
    }
}

// Writes half a megabyte per round and returns the largest size of the log in bytes.
std::uintmax_t largest_log(SqliteDatabase& database, const std::filesystem::path& log, int rounds) {
    std::uintmax_t out = 0;
    write_filled(database, rounds, [&] { out = std::max(out, std::filesystem::file_size(log)); });
    return out;
}

TEST_F(SqliteWriter, TheLogStaysBoundedUnderConstantReaders) {
    const auto database = open();
    std::vector<std::jthread> readers;
    for (int i = 0; i < 2; ++i)
        readers.emplace_back([&](const std::stop_token& stop) { EXPECT_GT(run(keep_reading(*database, stop)), 0); });
    EXPECT_LT(largest_log(*database, folder / "test.db-wal", 200), std::uintmax_t{48} << 20);
}

// Keeps one view of the database after the other.
void keep_views(const std::filesystem::path& file, std::chrono::milliseconds each, const std::stop_token& stop) {
    storage::sqlite::Connection reader({.file = file});
    std::mutex mutex;
    std::condition_variable_any end;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        reader.run("BEGIN");
        reader.run("SELECT id FROM t LIMIT 1");
        end.wait_for(lock, stop, each, [] { return false; });
        reader.run("COMMIT");
    }
}

TEST_F(SqliteWriter, TheLogStaysBoundedUnderConstantReadersThatTakeLong) {
    const auto database = open();
    // Longer than the writer waits for readers in its first attempt. They do not end at the same moment.
    std::vector<std::jthread> readers;
    for (const std::chrono::milliseconds each : {110ms, 130ms})
        readers.emplace_back([this, each](const std::stop_token& stop) { keep_views(folder / "test.db", each, stop); });
    // Usually 70 to 105 MiB; 360 MiB if the log were never emptied.
    EXPECT_LT(largest_log(*database, folder / "test.db-wal", 600), std::uintmax_t{192} << 20);
}

// Such as a backup. The writer tries once per millisecond while it waits.
TEST_F(SqliteWriter, WritersWaitOnceForAReaderThatStays) {
    FaultyVfs::install();
    const auto database = open({.vfs = FaultyVfs::name});
    run(insert_filled(*database, 1'000'000));
    storage::sqlite::Connection reader({.file = folder / "test.db"});
    reader.run("BEGIN");
    EXPECT_EQ(reader.run("SELECT count(*) FROM t")[0].integer(0), 1);
    const int before = FaultyVfs::checkpoints();
    write_filled(*database, 200, [] {});
    EXPECT_LT(FaultyVfs::checkpoints() - before, 150);
    EXPECT_GT(std::filesystem::file_size(folder / "test.db-wal"), std::uintmax_t{80} << 20);
    reader.run("COMMIT");
    write_filled(*database, 30, [] {}, 8'000);
    EXPECT_LT(std::filesystem::file_size(folder / "test.db-wal"), std::uintmax_t{48} << 20);
}

TEST_F(SqliteWriter, ThreadsComeAndGoAndLeaveTheirConnection) {
    const auto first = open();
    run(insert_filled(*first, 1));
    for (int i = 0; i < 50; ++i) {
        std::jthread([&] { EXPECT_EQ(run(first->query("SELECT id FROM t")).size(), 1u); });
    }
    std::size_t open_files = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry, gone) == folder / "test.db") ++open_files;
    }
    EXPECT_LE(open_files, 4u);
}

TEST_F(SqliteWriter, AThreadMayOutliveADatabaseAndMeetAnother) {
    std::latch read_once(1);
    std::latch replaced(1);
    auto database = open();
    std::jthread thread([&] {
        EXPECT_EQ(run(database->query("SELECT id FROM t")).size(), 0u);
        read_once.count_down();
        replaced.wait();
        EXPECT_EQ(run(database->query("SELECT id FROM t")).size(), 1u);
    });
    read_once.wait();
    database.reset();
    EXPECT_FALSE(std::filesystem::exists(folder / "test.db-wal"));  // all connections are closed
    database = open();
    run(insert_filled(*database, 1));
    replaced.count_down();
}

TEST_F(SqliteWriter, ManyTextsOfStatementsDoNotPileUp) {
    const auto database = open();
    for (int i = 0; i < 600; ++i) {
        const std::string sql = "SELECT " + std::to_string(i);  // may reuse the address of the previous text
        EXPECT_EQ(run(database->query(sql))[0].integer(0), i);
    }
}

TEST_F(SqliteWriter, SchemaChangesReachPreparedStatements) {
    const auto database = open();
    run(insert_filled(*database, 1));
    EXPECT_EQ(run(database->query("SELECT * FROM t"))[0].text(1).size(), 10u);
    run(database->execute("ALTER TABLE t ADD COLUMN extra BIGINT DEFAULT 5"));
    EXPECT_EQ(run(database->query("SELECT * FROM t"))[0].integer(2), 5);
}

}  // namespace
}  // namespace consentry::tests
