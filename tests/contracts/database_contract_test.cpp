// Tests the database port: statements, types and visibility.
#include "tests/contracts/database_contract.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <future>
#include <limits>
#include <optional>
#include <string>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace consentry::tests {
namespace {

using storage::Rows;
using storage::Transaction;
using storage::UniqueViolation;

TEST_P(DatabaseContract, TypesComeBackAsTheyWent) {
    const std::string unicode = "\xC3\x84 \xE2\x82\xAC \xF0\x9F\x94\x91 'quoted' \\ %";
    const Bytes bytes{0, 1, 0xFF, 0x27, 0};
    const Uuid uid = *Uuid::parse("018F3C2A-7B1D-7C3E-9A4B-5C6D7E8F9A0B");
    execute("INSERT INTO things (id, name, flag, ratio, data, uid) VALUES ($1, $2, $3, $4, $5, $6)", 1, unicode, true,
            0.1, bytes, uid);
    const Rows rows = query("SELECT id, name, flag, ratio, data, uid FROM things");
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].integer(0), 1);
    EXPECT_EQ(rows[0].text(1), unicode);
    EXPECT_TRUE(rows[0].boolean(2));
    EXPECT_EQ(rows[0].real(3), 0.1);
    EXPECT_EQ(rows[0].bytes(4), bytes);
    EXPECT_EQ(rows[0].uuid(5), uid);
}

TEST_P(DatabaseContract, NullIsNullInEveryColumn) {
    execute("INSERT INTO things (id, name, flag, ratio, data, uid) VALUES ($1, $2, $3, $4, $5, $6)", 1,
            std::optional<std::string>{}, std::nullopt, std::optional<double>{}, std::optional<Bytes>{},
            std::optional<UserId>{});
    const Rows rows = query("SELECT name, flag, ratio, data, uid FROM things");
    for (std::size_t column = 0; column < 5; ++column) EXPECT_TRUE(rows[0].is_null(column)) << column;
}

TEST_P(DatabaseContract, EmptyIsNotNull) {
    execute("INSERT INTO things (id, name, data, flag) VALUES (1, $1, $2, $3)", "", Bytes{}, false);
    const Rows rows = query("SELECT name, data, flag FROM things");
    EXPECT_EQ(rows[0].text(0), "");
    EXPECT_EQ(rows[0].bytes(1), Bytes{});
    EXPECT_FALSE(rows[0].boolean(2));
}

TEST_P(DatabaseContract, IntegersKeepAll64Bits) {
    const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t value : {lowest, std::int64_t{-1}, (std::int64_t{1} << 53) + 1, highest})
        execute("INSERT INTO things (id) VALUES ($1)", value);
    const Rows rows = query("SELECT id FROM things ORDER BY id");
    EXPECT_EQ(rows[0].integer(0), lowest);
    EXPECT_EQ(rows[2].integer(0), (std::int64_t{1} << 53) + 1);
    EXPECT_EQ(rows[3].integer(0), highest);
}

TEST_P(DatabaseContract, RealsKeepAllTheirBits) {
    const double values[] = {0.0, -1.5, 3.0, 1e300, std::numeric_limits<double>::denorm_min(), 0.1 + 0.2};
    int id = 0;
    for (const double value : values) execute("INSERT INTO things (id, ratio) VALUES ($1, $2)", ++id, value);
    const Rows rows = query("SELECT ratio FROM things ORDER BY id");
    for (std::size_t i = 0; i < std::size(values); ++i) EXPECT_EQ(rows[i].real(0), values[i]);
}

TEST_P(DatabaseContract, LargeValuesCrossPages) {
    const std::string text(300'000, 'x');
    const Bytes bytes(300'000, 0xEE);
    execute("INSERT INTO things (id, note, data) VALUES (1, $1, $2)", text, bytes);
    const Rows rows = query("SELECT note, data FROM things");
    EXPECT_EQ(rows[0].text(0), text);
    EXPECT_EQ(rows[0].bytes(1), bytes);
}

TEST_P(DatabaseContract, ParametersGoByNumberInAnyOrderAnyNumberOfTimes) {
    execute("INSERT INTO things (name, id) VALUES ($2, $1)", 7, "seven");
    execute("INSERT INTO things (id, name) VALUES ($10 + $1, $2 || $3 || $4 || $5 || $6 || $7 || $8 || $9)", 1, "a",
            "b", "c", "d", "e", "f", "g", "h", 10);
    EXPECT_EQ(query("SELECT name FROM things WHERE id = $1", 7)[0].text(0), "seven");
    EXPECT_EQ(query("SELECT name FROM things WHERE id = 11")[0].text(0), "abcdefgh");
    EXPECT_EQ(query("SELECT id FROM things WHERE (name = $2 OR name = $2) AND id <> $1", 11, "seven").size(), 1u);
}

TEST_P(DatabaseContract, ReturningGivesRowsAndAffectedCountsThem) {
    const Rows made = execute("INSERT INTO things (id, name) VALUES (1, 'a'), (2, 'b') RETURNING id, name");
    ASSERT_EQ(made.size(), 2u);
    EXPECT_EQ(made[1].text(1), "b");
    EXPECT_EQ(made.affected(), 2);
    EXPECT_EQ(execute("UPDATE things SET flag = TRUE").affected(), 2);
    EXPECT_EQ(execute("DELETE FROM things WHERE id = $1 RETURNING name", 1)[0].text(0), "a");
    EXPECT_EQ(execute("DELETE FROM things WHERE id = $1 RETURNING name", 1).affected(), 0);
    EXPECT_EQ(query("SELECT id FROM things").affected(), 0);
}

awaitable<Rows> look_up(storage::Database& on, Uuid key) {
    co_return co_await on.look_up("SELECT uid, name FROM things WHERE uid = $1", key);
}

TEST_P(DatabaseContract, LookUpsByOneKeyFindTheirOwnRowOrNone) {
    std::vector<Uuid> keys;
    Transaction fill;
    for (int i = 0; i < 100; ++i) {
        keys.push_back(Uuid::v7(from_epoch_ms(i)));
        if (i % 3 != 0)
            fill.add(storage::Expect::one, "INSERT INTO things (id, uid, name) VALUES ($1, $2, $3)", i, keys.back(),
                     std::to_string(i));
    }
    ASSERT_TRUE(run(database->commit(std::move(fill))).committed);
    // Several callers look up each key concurrently.
    std::vector<awaitable<Rows>> works;
    for (int i = 0; i < 400; ++i) works.push_back(look_up(*database, keys[static_cast<std::size_t>(i % 100)]));
    const auto found = values_of(std::move(works));
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].size(), i % 100 % 3 == 0 ? 0u : 1u) << i;
        if (!found[i].empty()) {
            EXPECT_EQ(found[i][0].uuid(0), keys[i % 100]);
            EXPECT_EQ(found[i][0].text(1), std::to_string(i % 100));
        }
    }
}

TEST_P(DatabaseContract, ALookUpSeesWhatWasCommittedBeforeIt) {
    struct Work {
        static awaitable<bool> write_then_look(storage::Database& on, int id) {
            const Uuid key = Uuid::v7(from_epoch_ms(id));
            co_await on.execute("INSERT INTO things (id, uid) VALUES ($1, $2)", id, key);
            const Rows rows = co_await look_up(on, key);
            co_return rows.size() == 1;
        }
    };
    EXPECT_EQ(successes_of(200, [&](std::size_t i) { return Work::write_then_look(*database, static_cast<int>(i)); }),
              200u);
}

TEST_P(DatabaseContract, AReadForEverybodyIsWholeAndSeesWhatWasCommittedBeforeIt) {
    struct Work {
        static awaitable<bool> write_then_count(storage::Database& on, int id, std::atomic<int>& committed) {
            co_await on.execute("INSERT INTO things (id) VALUES ($1)", id);
            const int before = ++committed;
            const Rows rows = co_await on.query_shared("SELECT count(*) FROM things");
            co_return rows.size() == 1 && rows[0].integer(0) >= before;
        }
    };
    const auto all = [&] { return run(database->query_shared("SELECT id FROM things ORDER BY id")); };
    EXPECT_TRUE(all().empty());
    std::atomic<int> committed = 0;
    EXPECT_EQ(
        successes_of(200,
                     [&](std::size_t i) { return Work::write_then_count(*database, static_cast<int>(i), committed); }),
        200u);
    const Rows rows = all();
    ASSERT_EQ(rows.size(), 200u);
    EXPECT_EQ(rows[199].integer(0), 199);
    EXPECT_THROW(run(database->query_shared("SELECT nothing_of_that_name FROM things")), Unavailable);
}

TEST_P(DatabaseContract, ASearchFindsWhatWasCommittedBeforeIt) {
    struct Work {
        static awaitable<bool> write_then_search(storage::Database& on, int id) {
            co_await on.execute("INSERT INTO things (id, name) VALUES ($1, $2)", id, "name " + std::to_string(id));
            const Rows rows = co_await on.search_with("SELECT id FROM things WHERE lower(name) LIKE $1",
                                                      storage::bind_all("%e " + std::to_string(id)));
            co_return rows.size() == 1 && rows[0].integer(0) == id;
        }
    };
    for (int id = 0; id < 50; ++id) EXPECT_TRUE(run(Work::write_then_search(*database, id))) << id;
    EXPECT_THROW(run(database->search_with("SELECT nothing_of_that_name FROM things", {})), Unavailable);
    EXPECT_EQ(run(database->search_with("SELECT count(*) FROM things", {}))[0].integer(0), 50);
}

TEST_P(DatabaseContract, NobodyWaitsForASearchButOtherSearches) {
    execute(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
        "INSERT INTO things (id) SELECT i FROM n");
    boost::asio::io_context context;
    const auto search = [&] {
        return boost::asio::co_spawn(
            context, database->search_with("SELECT count(*) FROM things a, things b, things c, things d, things e", {}),
            boost::asio::use_future);
    };
    std::vector<std::future<Rows>> endless;
    for (int i = 0; i < 30; ++i) endless.push_back(search());
    const auto refused = [&] {
        return std::ranges::count_if(endless, [](const auto& one) {
            return one.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
        });
    };
    while (context.poll() > 0) {
    }
    EXPECT_EQ(refused(), 30 - 17) << "one under way and sixteen waiting";
    execute("INSERT INTO things (id) VALUES (1000)");
    EXPECT_EQ(count_things(), 1'001);
    EXPECT_EQ(refused(), 30 - 17) << "none of them is over";
    database.reset();  // cancels the searches rather than waiting for them
    context.restart();
    context.run();
    for (auto& one : endless) EXPECT_THROW(one.get(), Unavailable);
}

TEST_P(DatabaseContract, OnConflictDoesNothingOrUpdates) {
    execute("INSERT INTO things (id, name) VALUES (1, 'a')");
    EXPECT_EQ(execute("INSERT INTO things (id) VALUES (1) ON CONFLICT DO NOTHING").affected(), 0);
    const Rows updated = execute(
        "INSERT INTO things (id, name) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING "
        "name",
        "b");
    EXPECT_EQ(updated[0].text(0), "b");
    EXPECT_EQ(updated.affected(), 1);
    EXPECT_EQ(execute("INSERT INTO things (id, name) VALUES (1, 'c') "
                      "ON CONFLICT (id) DO UPDATE SET name = 'c' WHERE things.name = 'x'")
                  .affected(),
              0);
}

TEST_P(DatabaseContract, CommonTableExpressionsAndCasts) {
    execute("INSERT INTO things (id, flag) VALUES (1, TRUE), (2, FALSE)");
    const Rows rows = query(
        "WITH lit AS (SELECT id FROM things WHERE flag = $1) "
        "SELECT CAST(power(2, 10) AS BIGINT), CAST(ceil(CAST(1 AS DOUBLE PRECISION) / 3) AS BIGINT), id FROM lit",
        true);
    EXPECT_EQ(rows[0].integer(0), 1024);
    EXPECT_EQ(rows[0].integer(1), 1);
    EXPECT_EQ(rows[0].integer(2), 1);
}

TEST_P(DatabaseContract, AUniqueConstraintIsDistinguishedFromAnOutage) {
    execute("INSERT INTO things (id, name) VALUES (1, 'a')");
    EXPECT_THROW(execute("INSERT INTO things (id, name) VALUES (2, 'a')"), UniqueViolation);
    EXPECT_THROW(execute("INSERT INTO things (id, name) VALUES (1, 'b')"), UniqueViolation);
    EXPECT_THROW(execute("INSERT INTO parts (id, thing) VALUES (1, 99)"), Unavailable);  // violates the foreign key
    EXPECT_THROW(execute("INSERT INTO parts (id, thing) VALUES (1, NULL)"), Unavailable);
    EXPECT_EQ(count_things(), 1);
}

TEST_P(DatabaseContract, ABrokenStatementIsUnavailableAndHarmless) {
    EXPECT_THROW(query("SELEC 1"), Unavailable);
    EXPECT_THROW(query("SELECT nothing FROM nowhere"), Unavailable);
    EXPECT_THROW(query("SELECT 1; SELECT 2"), Unavailable);
    EXPECT_THROW(query("SELECT id FROM things WHERE id = $1"), Unavailable);  // lacks a parameter
    EXPECT_THROW(query("SELECT id FROM things WHERE id = $1", 1, 2), Unavailable);
    EXPECT_THROW(execute("INSERT INTO nowhere (id) VALUES (1)"), Unavailable);
    EXPECT_EQ(execute("INSERT INTO things (id) VALUES (1)").affected(), 1);
    EXPECT_NO_THROW(run(database->ping()));
}

TEST_P(DatabaseContract, FailuresNameNoValue) {
    execute("INSERT INTO things (id, name) VALUES (1, $1)", "s3cret");
    for (const int id : {1, 2}) {
        try {
            execute("INSERT INTO things (id, name) VALUES ($1, $2)", id, "s3cret");
            FAIL();
        } catch (const UniqueViolation& violation) {
            EXPECT_EQ(std::string_view(violation.what()).find("s3cret"), std::string_view::npos) << violation.what();
        }
    }
}

TEST_P(DatabaseContract, AWriteIsSeenByEveryThreadOnceItIsAcknowledged) {
    // Each round runs its coroutines on four new threads. The second round reads the rows that the first one wrote.
    struct Work {
        static awaitable<bool> write_then_read(storage::Database& on, int id) {
            co_await on.execute("INSERT INTO things (id) VALUES ($1)", id);
            const Rows rows = co_await on.query("SELECT id FROM things WHERE id = $1", id);
            co_return rows.size() == 1;
        }
        static awaitable<bool> read(storage::Database& on, int id) {
            const Rows rows = co_await on.query("SELECT id FROM things WHERE id = $1", id);
            co_return rows.size() == 1;
        }
    };
    EXPECT_EQ(successes_of(64, [&](std::size_t i) { return Work::write_then_read(*database, static_cast<int>(i)); }),
              64u);
    EXPECT_EQ(successes_of(64, [&](std::size_t i) { return Work::read(*database, static_cast<int>(i)); }), 64u);
}

TEST_P(DatabaseContract, TwoProcessesSeeEachOthersCommits) {
    const auto other = place->open();
    for (int i = 0; i < 20; ++i) {
        auto& writing = i % 2 == 0 ? *database : *other;
        auto& reading = i % 2 == 0 ? *other : *database;
        run(writing.execute("INSERT INTO things (id) VALUES ($1)", i));
        EXPECT_EQ(run(reading.query("SELECT count(*) FROM things"))[0].integer(0), i + 1);
    }
}

TEST_P(DatabaseContract, TwoProcessesWriteAtOnce) {
    const auto other = place->open();
    std::vector<awaitable<Rows>> works;
    for (int i = 0; i < 100; ++i)
        works.push_back((i % 2 == 0 ? *database : *other).execute("INSERT INTO things (id) VALUES ($1)", i));
    EXPECT_EQ(values_of(std::move(works)).size(), 100u);
    EXPECT_EQ(count_things(), 100);
}

TEST_P(DatabaseContract, ACanceledCallerStopsWaiting) {
    asio::io_context context{1};
    asio::cancellation_signal deadline;
    std::exception_ptr ended;
    asio::co_spawn(
        context, database->execute("INSERT INTO things (id) VALUES (1)"),
        asio::bind_cancellation_slot(deadline.slot(), [&](std::exception_ptr error, const Rows&) { ended = error; }));
    context.run_one();  // hands the statement over
    deadline.emit(asio::cancellation_type::terminal);
    context.run();
    // The call either succeeded before the cancellation or was canceled. The statement takes effect in both cases.
    if (ended) EXPECT_THROW(std::rethrow_exception(ended), boost::system::system_error);
    execute("INSERT INTO things (id) VALUES (2)");
    EXPECT_EQ(count_things(), 2);
}

TEST_P(DatabaseContract, AServerThatIsSharedTellsItsTime) {
    const auto at_start = database->server_time_at_start([] {});
    const auto later = run(database->server_time());
    ASSERT_EQ(at_start.has_value(), GetParam().name != "sqlite");
    ASSERT_EQ(later.has_value(), at_start.has_value());
    if (!later) return;
    EXPECT_LE(*at_start, *later);
    EXPECT_LE(std::chrono::abs(*later - SystemClock().now()), std::chrono::minutes{1}) << "it runs on this machine";
}

INSTANTIATE_TEST_SUITE_P(Engines, DatabaseContract, ::testing::ValuesIn(database_engines()), engine_name);

}  // namespace
}  // namespace consentry::tests
