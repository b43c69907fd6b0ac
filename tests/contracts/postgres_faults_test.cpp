// Tests the PostgreSQL engine with a server that is frozen, down or slow, or whose answers get lost.
#include <future>
#include <semaphore>
#include <thread>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/real_postgres.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using storage::Expect;
using storage::OutcomeUnknown;
using storage::Rows;
using storage::Transaction;

constexpr auto things = "CREATE TABLE things (id BIGINT PRIMARY KEY, uid UUID, note TEXT)";

// A database whose connections persist between calls: one thread and one io_context, as in the service.
class Client {
public:
    explicit Client(storage::PostgresOptions options) : database_(std::move(options)) {}

    template <class T>
    T wait_for(awaitable<T> work) {
        return run_on(context_, std::move(work));
    }
    // Rethrows the first exception.
    void wait_for_all(std::vector<awaitable<void>> works) {
        std::vector<std::exception_ptr> failures;
        for (awaitable<void>& work : works)
            asio::co_spawn(context_, std::move(work), [&](const std::exception_ptr& failure) {
                if (failure) failures.push_back(failure);
            });
        context_.restart();
        context_.run();
        if (!failures.empty()) std::rethrow_exception(failures.front());
    }
    Rows query(std::string_view sql) { return wait_for(database_.query(sql)); }
    Rows execute(std::string_view sql) { return wait_for(database_.execute(sql)); }
    storage::Database& database() { return database_; }

private:
    asio::io_context context_{1};
    storage::PostgresDatabase database_;
};

std::chrono::milliseconds time_of(const std::function<void()>& work) {
    const auto begin = Steady::now();
    work();
    return std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - begin);
}

bool answers(Client& client) {
    try {
        client.query("SELECT 1");
        return true;
    } catch (const Unavailable&) {
        return false;
    }
}

TEST(PostgresFaults, AFrozenServerCostsOneTimeoutThenNothing) {
    const RealPostgres server({.fast = true});
    Client client({.url = server.url(), .timeout = 900ms});
    client.query("SELECT 1");
    server.pause();
    EXPECT_LT(time_of([&] { EXPECT_FALSE(answers(client)); }), 2s);
    // While the server is known to be down, calls fail at once, except for an occasional probe.
    std::chrono::milliseconds least = 1h;
    for (int i = 0; i < 5; ++i) least = std::min(least, time_of([&] { EXPECT_FALSE(answers(client)); }));
    EXPECT_LT(least, 100ms);
    server.resume();
    EXPECT_TRUE(eventually([&] { return answers(client); }, 10s));
}

TEST(PostgresFaults, AServerThatComesBackIsUsedWithoutARestart) {
    const RealPostgres server({.fast = true});
    server.sql(things);
    Client client({.url = server.url()});
    client.execute("INSERT INTO things (id) VALUES (1)");
    server.kill();
    EXPECT_FALSE(answers(client));
    EXPECT_THROW(client.execute("INSERT INTO things (id) VALUES (2)"), Unavailable);
    server.start();
    EXPECT_TRUE(eventually([&] { return answers(client); }, 10s));
    client.execute("INSERT INTO things (id) VALUES (3)");
    EXPECT_EQ(server.sql("SELECT id FROM things ORDER BY id"), (SqlRows{{"1"}, {"3"}}));
}

TEST(PostgresFaults, WhatTheServerClosedWhileIdleIsNotNoticedByCallers) {
    const PostgresSchema schema;
    schema.sql(things);
    Client client({.url = schema.patient_url() + "&application_name=" + schema.name(), .timeout = 10s});
    for (int round = 0; round < 3; ++round) {
        client.execute("INSERT INTO things (id) VALUES (" + std::to_string(round) + ")");
        client.query("SELECT 1");
        client.wait_for(client.database().search_with("SELECT 1", {}));
        schema.sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '" +
                   schema.name() + "'");
    }
    EXPECT_EQ(client.query("SELECT count(*) FROM things")[0].integer(0), 3);
}

TEST(PostgresFaults, AWriteWhoseAnswerIsLostIsOfUnknownOutcomeAndNotRepeated) {
    const PostgresSchema schema;
    schema.sql(things);
    TcpProxy link(port_of(schema.url()));
    Client client({.url = with_port(schema.patient_url(), link.port()), .timeout = 10s});
    for (int id = 1; id <= 20; ++id) {
        client.query("SELECT 1");
        link.mute_when("lost answer");
        Transaction tx;
        // The text is a parameter, so that it travels when the statement is executed, not when it is prepared.
        tx.add(Expect::one, "INSERT INTO things (id, note) VALUES ($1, $2)", id, "lost answer");
        tx.add(Expect::one, "UPDATE things SET note = note || '!' WHERE id = $1", id);
        EXPECT_THROW(client.wait_for(client.database().commit(std::move(tx))), OutcomeUnknown);
        link.pass();
    }
    EXPECT_EQ(link.cut(), 20U);
    EXPECT_TRUE(eventually([&] { return schema.sql("SELECT count(*) FROM things")[0][0] == "20"; }));
    EXPECT_EQ(schema.sql("SELECT count(*) FROM things WHERE note = 'lost answer!'")[0][0], "20");
}

TEST(PostgresFaults, AReadWhoseAnswerIsLostIsAskedAgain) {
    const PostgresSchema schema;
    TcpProxy link(port_of(schema.url()));
    Client client({.url = with_port(schema.patient_url(), link.port()), .timeout = 10s});
    for (int i = 0; i < 10; ++i) {
        link.mute_when("mute this one");
        EXPECT_EQ(client.query("SELECT 7 -- mute this one")[0].integer(0), 7);
        link.pass();
    }
    EXPECT_EQ(link.cut(), 1U) << "once it is prepared its text travels no more";
}

TEST(PostgresFaults, ASlowStatementEndsAloneAndNotItsConnection) {
    const PostgresSchema schema;
    const std::string name = schema.name();
    Client client({.url = schema.patient_url() + "&application_name=" + name, .connections = 1, .timeout = 2s});
    const auto session = client.query("SELECT pg_backend_pid()")[0].integer(0);
    EXPECT_THROW(client.query("SELECT pg_sleep(60)"), Unavailable);
    EXPECT_EQ(client.query("SELECT pg_backend_pid()")[0].integer(0), session);
}

awaitable<void> write_locked(storage::Database& on, std::size_t& refused) {
    try {
        co_await on.execute("UPDATE things SET note = 'new' WHERE id = 1");
    } catch (const Unavailable&) {
        ++refused;
    }
}
awaitable<void> read_until(storage::Database& on, const std::size_t& refused, std::size_t all, int& read) {
    const Uuid key = Uuid::v7(from_epoch_ms(1));
    while (refused < all) {
        co_await on.look_up("SELECT uid, note FROM things WHERE uid = $1", key);
        ++read;
    }
}

// Regression: the second of two writes that wait for one lock was taken for the silence of the server.
TEST(PostgresFaults, WritesThatWaitForALockCostTheOthersNothing) {
    const PostgresSchema schema;
    schema.sql(things);
    schema.sql("INSERT INTO things (id) VALUES (1), (2)");
    Client client({.url = schema.patient_url(), .timeout = 1s});
    constexpr std::size_t writers = 12;
    std::size_t refused = 0;
    int read = 0;
    {
        const PostgresConnection holder(schema.url());
        holder.run("BEGIN");
        holder.run("UPDATE things SET note = 'held' WHERE id = 1");
        std::vector<awaitable<void>> works;
        for (std::size_t i = 0; i < writers; ++i) works.push_back(write_locked(client.database(), refused));
        works.push_back(read_until(client.database(), refused, writers, read));
        client.wait_for_all(std::move(works));
    }
    EXPECT_EQ(refused, writers);
    EXPECT_GT(read, 0);
    EXPECT_TRUE(eventually([&] {
        try {
            return client.execute("UPDATE things SET note = 'new' WHERE id = 2").affected() == 1;
        } catch (const Unavailable&) {  // behind a write that the server has not given up yet
            return false;
        }
    }));
}

awaitable<void> look_up_locked(storage::Database& on, std::size_t& refused) {
    try {
        co_await on.look_up("SELECT uid, note FROM things WHERE uid = $1", Uuid());
    } catch (const Unavailable&) {
        ++refused;
    }
}

// Regression: look-ups are sent in parts, one at a time. Each part had a timeout of its own, so the last one of these
// took ten.
TEST(PostgresFaults, FLT_3_LookUpsThatWaitForOthersHaveOneTimeout) {
    const PostgresSchema schema;
    schema.sql(things);
    Client client({.url = schema.patient_url(), .timeout = 1s});
    EXPECT_THROW(client.query("SELECT note FROM nowhere"), Unavailable) << "connects";
    constexpr std::size_t callers = 2'560;
    std::size_t refused = 0;
    {
        const PostgresConnection holder(schema.url());
        holder.run("BEGIN");
        holder.run("LOCK TABLE things IN ACCESS EXCLUSIVE MODE");
        std::vector<awaitable<void>> works;
        for (std::size_t i = 0; i < callers; ++i) works.push_back(look_up_locked(client.database(), refused));
        EXPECT_LT(time_of([&] { client.wait_for_all(std::move(works)); }), 3s);
    }
    EXPECT_EQ(refused, callers);
    EXPECT_TRUE(eventually([&] {
        refused = 0;
        client.wait_for(look_up_locked(client.database(), refused));
        return refused == 0;
    }));
}

awaitable<void> ask(storage::Database& of) { co_await of.query("SELECT 1"); }
std::vector<awaitable<void>> two_at_once(storage::Database& of) {
    std::vector<awaitable<void>> out;
    out.push_back(ask(of));
    out.push_back(ask(of));
    return out;
}

// A pooler, or a server that is frozen a moment later, lets a client in and answers nothing. Here a lock keeps the
// server from looking up the first function.
TEST(PostgresFaults, AServerThatIsSilentAfterTheLoginDoesNotHoldUpTheEnd) {
    const RealPostgres server({.fast = true});
    auto client = std::make_unique<Client>(storage::PostgresOptions{.url = server.url(), .timeout = 200ms});
    auto holder = std::make_unique<PostgresConnection>(server.url());
    holder->run("BEGIN");
    holder->run("LOCK TABLE pg_proc IN ACCESS EXCLUSIVE MODE");
    std::binary_semaphore has_ended(0);
    const std::jthread let_go([&] {
        EXPECT_TRUE(has_ended.try_acquire_for(20s));
        holder.reset();
    });
    EXPECT_THROW(client->wait_for_all(two_at_once(client->database())), Unavailable) << "the second takes a new one";
    client.reset();
    has_ended.release();
}

// Regression: a look-up of a few rows took milliseconds, nearly all of them for its JIT compilation.
TEST(PostgresFaults, TheServerCompilesNoStatement) {
    const PostgresSchema schema;
    ASSERT_EQ(schema.sql("SHOW jit")[0][0], "on") << "as servers have it by default";
    Client client({.url = schema.patient_url(), .timeout = 10s});
    constexpr std::string_view setting = "SELECT current_setting('jit')";
    EXPECT_EQ(client.query(setting)[0].text(0), "off");
    EXPECT_EQ(client.wait_for(client.database().search_with(setting, {}))[0].text(0), "off");
}

awaitable<bool> add_one_to_both(storage::Database& on, int first, int second) {
    Transaction tx;
    tx.add(Expect::one, "UPDATE counters SET attempt = attempt + 1 WHERE id = $1", first);
    tx.add(Expect::one, "UPDATE counters SET attempt = attempt + 1 WHERE id = $1", second);
    const auto outcome = co_await on.commit(std::move(tx));
    co_return outcome.committed;
}

TEST(PostgresFaults, DeadlocksAreSettledByDoingOneOfThemAgain) {
    const PostgresSchema schema;
    schema.sql(
        "CREATE TABLE counters (id BIGINT PRIMARY KEY, attempt BIGINT); INSERT INTO counters VALUES (1, 0), (2, 0)");
    // The server looks for deadlocks after a short time. Only a superuser may change this setting.
    storage::PostgresDatabase database(
        {.url = schema.url() + "%20-c%20deadlock_timeout%3D10&connect_timeout=30", .connections = 4, .timeout = 30s});
    EXPECT_EQ(
        successes_of(100,
                     [&](std::size_t i) { return add_one_to_both(database, i % 2 == 0 ? 1 : 2, i % 2 == 0 ? 2 : 1); }),
        100U);
    EXPECT_EQ(schema.sql("SELECT attempt FROM counters ORDER BY id"), (SqlRows{{"100"}, {"100"}}));
}

// By default, the server looks for deadlocks after a second, and a request waits for less.
TEST(PostgresFaults, ADeadlockThatTheServerNoticesTooLateIsSettled) {
    const PostgresSchema schema;
    schema.sql(
        "CREATE TABLE counters (id BIGINT PRIMARY KEY, attempt BIGINT); INSERT INTO counters VALUES (1, 0), (2, 0)");
    const std::string blind = "%20-c%20deadlock_timeout%3D60000";
    const PostgresConnection gate(schema.url());
    const PostgresConnection other(schema.url() + blind);
    const std::string other_pid = other.run("SELECT pg_backend_pid()")[0][0];
    const auto waits_for = [&](const std::string& pid) {
        return schema.sql("SELECT count(*) FROM pg_stat_activity WHERE " + pid + " = ANY (pg_blocking_pids(pid))") ==
               SqlRows{{"1"}};
    };
    other.run("BEGIN; UPDATE counters SET attempt = attempt + 1 WHERE id = 1");
    // Both queue for the second row, the loser first. Once the gate opens, each has what the other one waits for.
    gate.run("BEGIN; UPDATE counters SET attempt = 9 WHERE id = 2");
    storage::PostgresDatabase database({.url = schema.url() + blind + "&connect_timeout=30", .timeout = 6s});
    auto loser = std::async(std::launch::async, [&] { return run(add_one_to_both(database, 2, 1)); });
    EXPECT_TRUE(eventually([&] { return waits_for(gate.run("SELECT pg_backend_pid()")[0][0]); }));
    auto winner = std::async(std::launch::async, [&] {
        other.run("UPDATE counters SET attempt = attempt + 1 WHERE id = 2");
        other.run("COMMIT");
    });
    EXPECT_TRUE(eventually(
        [&] { return schema.sql("SELECT cardinality(pg_blocking_pids(" + other_pid + "))") == SqlRows{{"1"}}; }));
    gate.run("ROLLBACK");
    winner.get();
    EXPECT_TRUE(loser.get());
    EXPECT_EQ(schema.sql("SELECT attempt FROM counters ORDER BY id"), (SqlRows{{"2"}, {"2"}}));
}

TEST(PostgresFaults, AWaitForALockThatLastsIsNamed) {
    const PostgresSchema schema;
    schema.sql(things);
    schema.sql("INSERT INTO things (id) VALUES (1)");
    const PostgresConnection other(schema.url());
    other.run("BEGIN; UPDATE things SET note = 'held'");
    Client client({.url = schema.patient_url(), .timeout = 5s});
    EXPECT_THAT(
        [&] { client.execute("UPDATE things SET note = 'late'"); },
        ::testing::ThrowsMessage<Unavailable>(::testing::HasSubstr("55P03 canceling statement due to lock timeout")));
}

// Regression: documents named a number of repeats that the program no longer had.
TEST(PostgresFaults, ATransactionThatLosesIsRepeatedForThreeQuartersOfTheTimeout) {
    const PostgresSchema schema;
    schema.sql(things);
    schema.sql(
        "INSERT INTO things (id) VALUES (1); CREATE SEQUENCE tries;"
        // Nothing takes back the next number of a sequence.
        "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('tries') <= 20 THEN RAISE "
        "EXCEPTION 'lost' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$;"
        "CREATE TRIGGER lose BEFORE UPDATE ON things EXECUTE FUNCTION lose()");
    Client client({.url = schema.patient_url(), .timeout = 10s});
    EXPECT_EQ(client.execute("UPDATE things SET note = 'kept' WHERE id = 1").affected(), 1);
    EXPECT_EQ(schema.sql("SELECT last_value FROM tries")[0][0], "21");
    schema.sql("ALTER SEQUENCE tries MINVALUE -1000000000 RESTART WITH -1000000000");
    Client hasty({.url = schema.patient_url(), .timeout = 2s});
    EXPECT_GE(time_of([&] { EXPECT_THROW(hasty.execute("UPDATE things SET note = 'lost'"), Unavailable); }), 1500ms);
}

awaitable<bool> look_up_often(storage::Database& on, Uuid key, int times) {
    for (int i = 0; i < times; ++i) {
        const Rows rows = co_await on.look_up("SELECT uid, note FROM things WHERE uid = $1", key);
        if (rows.size() != 1) co_return false;
    }
    co_return true;
}

TEST(PostgresFaults, LookUpsOfManyCallersAreFewStatements) {
    const RealPostgres server({.fast = true});
    server.sql(things);
    const Uuid key = Uuid::v7(from_epoch_ms(1));
    server.sql("INSERT INTO things VALUES (1, '" + key.text() + "', '')");
    // A session reports its statistics when it ends.
    const auto transactions = [&] {
        EXPECT_TRUE(eventually([&] {
            return server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'consentry'")[0][0] ==
                   "0";
        }));
        return std::stol(
            server.sql("SELECT pg_stat_force_next_flush(), xact_commit FROM pg_stat_database WHERE datname "
                       "= current_database()")[0][1]);
    };
    const long before = transactions();
    {
        storage::PostgresDatabase database({.url = server.url(), .timeout = 10s});
        EXPECT_EQ(successes_of(64, [&](std::size_t) { return look_up_often(database, key, 100); }), 64U);
    }
    EXPECT_LE(transactions() - before, 6'400 / 5);
}

TEST(PostgresFaults, AStatementThatIsNoLookUpIsRefusedAndNothingElse) {
    const PostgresSchema schema;
    schema.sql(things);
    Client client({.url = schema.patient_url(), .timeout = 10s});
    auto& database = client.database();
    EXPECT_THROW(client.wait_for(database.look_up("SELECT uid FROM things", Uuid())), std::logic_error);
    EXPECT_TRUE(client.wait_for(database.look_up("SELECT uid FROM things WHERE uid = $1", Uuid())).empty());
}

// The URL with two hosts, which differ in their port.
std::string with_two_ports(const std::string& url, std::uint16_t first, std::uint16_t second) {
    const std::string host = "127.0.0.1:";
    std::string out = with_port(url, second);
    return out.insert(out.find(host), host + std::to_string(first) + ",");
}

// Regression: every new connection waited for the silent host first, longer than a call may take.
TEST(PostgresFaults, FLT_2_ASilentHostBeforeTheServerIsAskedOnce) {
    const PostgresSchema schema;
    TcpProxy silent(port_of(schema.url()));
    silent.hang();
    storage::PostgresDatabase database(
        {.url = with_two_ports(schema.url(), silent.port(), port_of(schema.url())) + "&connect_timeout=4",
         .timeout = 3s});
    EXPECT_EQ(silent.accepted(), 1U);
    for (int i = 0; i < 3; ++i) {  // the first takes the connection of the start, the others make their own
        asio::io_context context{1};
        EXPECT_EQ(run_on(context, database.query("SELECT 7"))[0].integer(0), 7) << i;
        EXPECT_EQ(run_on(context, database.search_with("SELECT 7", {}))[0].integer(0), 7) << i;
    }
    EXPECT_EQ(silent.accepted(), 1U);
}

// The other way round: the host that answered falls silent, and the first one is there again.
TEST(PostgresFaults, FLT_2_TheNextHostIsAskedIfTheLastOneFellSilent) {
    const PostgresSchema schema;
    TcpProxy first(port_of(schema.url()));
    TcpProxy second(port_of(schema.url()));
    first.refuse();
    Client client({.url = with_two_ports(schema.url(), first.port(), second.port()) + "&connect_timeout=2"});
    EXPECT_EQ(second.accepted(), 1U);
    second.hang();
    first.pass();
    EXPECT_FALSE(answers(client));
    EXPECT_TRUE(eventually([&] { return answers(client); }));
    EXPECT_EQ(first.open(), 1U);
}

awaitable<void> hold(storage::Database& database) { co_await database.query("SELECT pg_sleep(0.2)"); }

// Managed services do this to a server whose disk is nearly full.
TEST(PostgresFaults, FLT_2_AServerThatBecomesReadOnlyIsNotReadyUntilItTakesWrites) {
    const RealPostgres server({.fast = true});
    server.sql(things);
    server.sql("CREATE TABLE schema_migrations (number BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)");
    server.sql("INSERT INTO schema_migrations VALUES (1, 1)");
    Client client({.url = server.url(), .timeout = 10s});
    const auto is_done = [](const std::function<void()>& work) {
        try {
            work();
            return true;
        } catch (const Unavailable&) {
            return false;
        }
    };
    const auto is_ready = [&] { return is_done([&] { client.wait_for(client.database().ping()); }); };
    int id = 0;
    const auto takes_writes = [&] {
        ++id;
        return is_done([&] { client.execute("INSERT INTO things (id) VALUES (" + std::to_string(id) + ")"); });
    };
    // A write that fails ends its connection. These others would still read.
    std::vector<awaitable<void>> works;
    for (int i = 0; i < 3; ++i) works.push_back(hold(client.database()));
    client.wait_for_all(std::move(works));
    EXPECT_TRUE(is_ready());
    server.sql("ALTER SYSTEM SET default_transaction_read_only = on");
    server.sql("SELECT pg_reload_conf()");
    ASSERT_TRUE(eventually([&] { return !takes_writes(); }));
    for (int i = 0; i < 6; ++i) EXPECT_FALSE(is_ready()) << i;
    server.sql("ALTER SYSTEM RESET default_transaction_read_only");
    server.sql("SELECT pg_reload_conf()");
    EXPECT_TRUE(eventually(is_ready));
    EXPECT_TRUE(takes_writes());
}

TEST(PostgresFaults, AServerThatOnlyReadsIsRefusedAndTheOneThatWritesIsFound) {
    const RealPostgres primary({.fast = true});
    const RealPostgres replica({.replica_of = &primary});
    try {
        const storage::PostgresDatabase refused({.url = replica.url()});
        FAIL() << "a replica was accepted";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string_view(error.what()).find("read-only"), std::string_view::npos) << error.what();
    }
    Client client({.url = with_two_ports(replica.url(), replica.port(), primary.port()), .timeout = 10s});
    client.execute(things);
    EXPECT_EQ(client.query("SELECT count(*) FROM things")[0].integer(0), 0);
}

}  // namespace
}  // namespace consentry::tests
