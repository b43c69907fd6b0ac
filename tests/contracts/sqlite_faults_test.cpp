// Tests each failing write and sync of a small workload (STO-2, STO-4). Everything acknowledged is there afterwards, no
// transaction is partial, and the service continues once the disk works again.
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/faulty_vfs.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using storage::Expect;
using storage::Outcome;
using storage::OutcomeUnknown;
using storage::SqliteDatabase;
using storage::Transaction;

const std::vector<storage::Migration>& two_tables() {
    static const std::vector<storage::Migration> out{
        {1,
         "0001_pairs.sql",
         {"CREATE TABLE a (id BIGINT PRIMARY KEY, fill TEXT);", "CREATE TABLE b (id BIGINT PRIMARY KEY);"}}};
    return out;
}

storage::SqliteOptions faulty(const TempFolder& folder) {
    FaultyVfs::install();
    return {.file = folder / "test.db", .reopen_interval = std::chrono::milliseconds{0}, .vfs = FaultyVfs::name};
}

awaitable<Outcome> insert_pair(storage::Database& on, int id) {
    Transaction tx;
    tx.add(Expect::one, "INSERT INTO a (id, fill) VALUES ($1, $2)", id, std::string(3000, 'x'));
    tx.add(Expect::one, "INSERT INTO b (id) VALUES ($1)", id);
    return on.commit(std::move(tx));
}

// Writes pairs, singly and in groups, and collects in `acknowledged` those that the database reported as committed.
void flow(storage::Database& on, std::set<std::int64_t>& acknowledged) {
    int id = 0;
    for (int round = 0; round < 3; ++round) {
        for (int size : {1, 4}) {
            std::vector<awaitable<Outcome>> works;
            const int first = id;
            for (int i = 0; i < size; ++i) works.push_back(insert_pair(on, id++));
            const auto ended = run_all(std::move(works), 2);
            for (std::size_t i = 0; i < ended.size(); ++i) {
                if (ended[i] && ended[i]->committed) acknowledged.insert(first + static_cast<int>(i));
                if (!ended[i]) EXPECT_THROW(std::rethrow_exception(ended[i].error()), Unavailable);
            }
        }
    }
}

std::set<std::int64_t> ids(storage::Database& on, std::string_view sql) {
    std::set<std::int64_t> out;
    const storage::Rows rows = run(on.query(sql));
    for (std::size_t i = 0; i < rows.size(); ++i) out.insert(rows[i].integer(0));
    return out;
}

void expect_whole_and_kept(storage::Database& on, const std::set<std::int64_t>& acknowledged) {
    const auto found = ids(on, "SELECT id FROM a");
    EXPECT_EQ(found, ids(on, "SELECT id FROM b")) << "half a transaction";
    for (const auto id : acknowledged) EXPECT_TRUE(found.contains(id)) << "acknowledged and lost: " << id;
    EXPECT_EQ(run(on.query("SELECT * FROM pragma_integrity_check"))[0].text(0), "ok");
}

struct Fault {
    std::string name;
    FaultyVfs::Kind kind;
    bool stays;
};

class SqliteFaults : public ::testing::TestWithParam<Fault> {
protected:
    void arm(int n) { FaultyVfs::arm(n, GetParam().kind, GetParam().stays); }
    ~SqliteFaults() override { FaultyVfs::disarm(); }
};

// Cuts the flow at its first operation on the disk, then at its second, and so on, until it has none left. `attempt`
// gets the number of the operation and returns whether the fault occurred.
template <class Attempt>
void cut_everywhere(int places_min, Attempt attempt) {
    bool fired = true;
    int n = 0;
    while (fired && !::testing::Test::HasFailure()) {
        ++n;
        ASSERT_LT(n, 500);
        SCOPED_TRACE("operation " + std::to_string(n));
        fired = attempt(n);
    }
    EXPECT_GT(n, places_min);
}

TEST_P(SqliteFaults, WhileWriting) {
    cut_everywhere(20, [&](int n) {
        const TempFolder folder;
        std::set<std::int64_t> acknowledged;
        bool fired = false;
        {
            SqliteDatabase database(faulty(folder));
            database.migrate(two_tables());
            arm(n);
            flow(database, acknowledged);
            fired = FaultyVfs::disarm();
            run(database.ping());  // the disk works again
            EXPECT_TRUE(run(insert_pair(database, 1000)).committed);
            acknowledged.insert(1000);
            expect_whole_and_kept(database, acknowledged);
        }
        SqliteDatabase later({.file = folder / "test.db"});
        expect_whole_and_kept(later, acknowledged);
        return fired;
    });
}

// What the next start finds if the process ends now.
std::set<std::int64_t> ids_after_a_crash(const TempFolder& folder) {
    const TempFolder copy;
    for (const char* name : {"test.db", "test.db-wal"})
        if (std::filesystem::exists(folder / name)) std::filesystem::copy_file(folder / name, copy / name);
    SqliteDatabase later({.file = copy / "test.db"});
    return ids(later, "SELECT id FROM a");
}

// Frames that reached the log may reach the disk later, although their sync has failed.
TEST_P(SqliteFaults, AWriteThatMayStillTakeEffectIsNotSaidToHaveFailed) {
    std::size_t came_later = 0;
    cut_everywhere(5, [&](int n) {
        const TempFolder folder;
        SqliteDatabase database(faulty(folder));
        database.migrate(two_tables());
        std::set<std::int64_t> failed;
        arm(n);
        for (int id = 0; id < 3; ++id) {
            bool is_unknown = false;
            try {
                EXPECT_TRUE(run(insert_pair(database, id)).committed);
            } catch (const OutcomeUnknown&) {
                is_unknown = true;
            } catch (const Unavailable&) {
                failed.insert(id);
            }
            const auto found = ids_after_a_crash(folder);
            for (const auto one : failed) EXPECT_FALSE(found.contains(one)) << one << " has taken effect";
            if (is_unknown && found.contains(id)) ++came_later;
        }
        return FaultyVfs::disarm();
    });
    if (GetParam().stays) EXPECT_GT(came_later, 0U) << "a failed sync, of a log that could not be emptied either";
}

TEST(SqliteUnhealthy, OnlyWhatAFailedCommitHeldIsUnknown) {
    const TempFolder folder;
    SqliteDatabase database(faulty(folder));
    database.migrate(two_tables());
    run(insert_pair(database, 1));
    FaultyVfs::arm(1, FaultyVfs::Kind::io_error, true);
    EXPECT_THROW(run(insert_pair(database, 2)), OutcomeUnknown) << "the commit failed";
    try {
        run(insert_pair(database, 3));
        ADD_FAILURE() << "the disk does not work";
    } catch (const OutcomeUnknown&) {
        ADD_FAILURE() << "nothing was begun";
    } catch (const Unavailable&) {
    }
    FaultyVfs::disarm();
}

TEST_P(SqliteFaults, WhileOpeningAndMigrating) {
    cut_everywhere(10, [&](int n) {
        const TempFolder folder;
        std::set<std::int64_t> acknowledged;
        arm(n);
        try {
            SqliteDatabase database(faulty(folder));
            database.migrate(two_tables());
            flow(database, acknowledged);
        } catch (const std::runtime_error&) {
            EXPECT_TRUE(acknowledged.empty());
        }
        const bool fired = FaultyVfs::disarm();
        SqliteDatabase later({.file = folder / "test.db"});
        later.migrate(two_tables());
        expect_whole_and_kept(later, acknowledged);
        return fired;
    });
}

// Writes more than the log holds before a checkpoint.
void fill(storage::Database& on, int& id, std::set<std::int64_t>& acknowledged) {
    for (int group = 0; group < 30; ++group) {
        std::vector<awaitable<Outcome>> works;
        const int first = id;
        for (int i = 0; i < 40; ++i) works.push_back(insert_pair(on, id++));
        const auto ended = run_all(std::move(works), 2);
        for (std::size_t i = 0; i < ended.size(); ++i)
            if (ended[i] && ended[i]->committed) acknowledged.insert(first + static_cast<int>(i));
    }
}

TEST_P(SqliteFaults, WhileCopyingTheLogIntoTheDatabase) {
    using Only = FaultyVfs::Only;
    const TempFolder folder;
    std::set<std::int64_t> acknowledged;
    {
        SqliteDatabase database(faulty(folder));
        database.migrate(two_tables());
        int id = 0;
        for (const auto& [n, only] : {std::pair{1, Only::database_syncs},
                                      {2, Only::database_syncs},
                                      {1, Only::database},
                                      {2, Only::database},
                                      {50, Only::database},
                                      {400, Only::database}}) {
            FaultyVfs::arm(n, GetParam().kind, GetParam().stays, only);
            fill(database, id, acknowledged);
            fill(database, id, acknowledged);
            EXPECT_TRUE(FaultyVfs::disarm()) << "no checkpoint came so far: " << n;
            run(database.ping());
            EXPECT_TRUE(run(insert_pair(database, id)).committed);
            acknowledged.insert(id++);
        }
        expect_whole_and_kept(database, acknowledged);
    }
    SqliteDatabase later({.file = folder / "test.db"});
    expect_whole_and_kept(later, acknowledged);
}

TEST(SqliteUnhealthy, AFailedSyncOfACheckpointIsNotHidden) {
    const TempFolder folder;
    auto options = faulty(folder);
    options.reopen_interval = std::chrono::hours{1};
    SqliteDatabase database(options);
    database.migrate(two_tables());
    FaultyVfs::arm(1, FaultyVfs::Kind::io_error, false, FaultyVfs::Only::database_syncs);
    std::set<std::int64_t> acknowledged;
    int id = 0;
    fill(database, id, acknowledged);
    EXPECT_TRUE(FaultyVfs::disarm());
    EXPECT_THROW(run(database.ping()), Unavailable);
    EXPECT_THROW(run(insert_pair(database, id)), Unavailable);
    expect_whole_and_kept(database, acknowledged);
}

TEST(SqliteUnhealthy, SaysSoUntilAWriteSucceeds) {
    const TempFolder folder;
    SqliteDatabase database(faulty(folder));
    database.migrate(two_tables());
    run(insert_pair(database, 1));
    FaultyVfs::arm(1, FaultyVfs::Kind::disk_full, true);
    for (int id = 2; id < 5; ++id) EXPECT_THROW(run(insert_pair(database, id)), Unavailable);
    EXPECT_THROW(run(database.ping()), Unavailable);
    EXPECT_EQ(ids(database, "SELECT id FROM a"), std::set<std::int64_t>{1});  // reads still succeed
    FaultyVfs::disarm();
    EXPECT_NO_THROW(run(database.ping()));
    EXPECT_TRUE(run(insert_pair(database, 5)).committed);
}

TEST(SqliteUnhealthy, RefusesWithoutTryingBetweenAttempts) {
    const TempFolder folder;
    auto options = faulty(folder);
    options.reopen_interval = std::chrono::hours{1};
    SqliteDatabase database(options);
    database.migrate(two_tables());
    FaultyVfs::arm(1, FaultyVfs::Kind::io_error, false);
    EXPECT_THROW(run(insert_pair(database, 1)), Unavailable);
    EXPECT_TRUE(FaultyVfs::disarm());
    EXPECT_THROW(run(insert_pair(database, 2)), Unavailable);  // the disk works again, but the engine does not know yet
    EXPECT_THROW(run(database.ping()), Unavailable);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SqliteFaults,
                         ::testing::Values(Fault{"io_error", FaultyVfs::Kind::io_error, false},
                                           Fault{"disk_full", FaultyVfs::Kind::disk_full, false},
                                           Fault{"torn_write", FaultyVfs::Kind::torn_write, false},
                                           Fault{"io_error_stays", FaultyVfs::Kind::io_error, true},
                                           Fault{"disk_full_stays", FaultyVfs::Kind::disk_full, true}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace consentry::tests
