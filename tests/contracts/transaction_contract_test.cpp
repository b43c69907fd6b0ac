// Tests transactions of the database port: their expectations, and concurrent callers.
#include <array>

#include "tests/contracts/database_contract.hpp"

namespace consentry::tests {
namespace {

using storage::Expect;
using storage::Outcome;
using storage::Rows;
using storage::Transaction;

class TransactionContract : public DatabaseContract {};

TEST_P(TransactionContract, AllStatementsTakeEffectAndGiveTheirRows) {
    Transaction tx;
    tx.add(Expect::one, "INSERT INTO things (id, name) VALUES ($1, $2) RETURNING name", 1, "a");
    tx.add(Expect::at_least_one, "UPDATE things SET flag = $1", true);
    tx.add(Expect::none, "DELETE FROM things WHERE id = $1", 99);
    tx.add(Expect::any, "SELECT flag FROM things WHERE id = $1", 1);  // sees the effects of the previous statements
    const Outcome outcome = commit(std::move(tx));
    ASSERT_TRUE(outcome.committed);
    ASSERT_EQ(outcome.results.size(), 4u);
    ASSERT_EQ(outcome.results[0].size(), 1u);
    EXPECT_EQ(outcome.results[0][0].text(0), "a");
    EXPECT_EQ(outcome.results[0].affected(), 1);
    EXPECT_EQ(outcome.results[1].affected(), 1);
    EXPECT_EQ(outcome.results[2].affected(), 0);
    EXPECT_TRUE(outcome.results[3][0].boolean(0));
    EXPECT_EQ(outcome.results[3].affected(), 0);
    EXPECT_EQ(count_things(), 1);
}

TEST_P(TransactionContract, EachExpectationHoldsOrUndoesEverything) {
    execute("INSERT INTO things (id) VALUES (1), (2)");
    struct Case {
        Expect expect;
        std::array<bool, 3> holds;  // for 0, 1 and 2 rows changed
    };
    const Case cases[] = {{Expect::any, {true, true, true}},
                          {Expect::one, {false, true, false}},
                          {Expect::at_least_one, {false, true, true}},
                          {Expect::none, {true, false, false}}};
    int id = 10;
    for (const auto& [expect, holds] : cases) {
        for (std::size_t changed = 0; changed <= 2; ++changed) {
            ++id;
            Transaction tx;
            tx.add(Expect::one, "INSERT INTO things (id) VALUES ($1)", id);
            tx.add(expect, "UPDATE things SET flag = TRUE WHERE id <= $1", static_cast<int>(changed));
            const Outcome outcome = commit(std::move(tx));
            EXPECT_EQ(outcome.committed, holds[changed]) << static_cast<int>(expect) << " with " << changed;
            EXPECT_EQ(query("SELECT id FROM things WHERE id = $1", id).size(), holds[changed] ? 1u : 0u);
            if (outcome.committed) continue;
            EXPECT_EQ(outcome.failed_at, 1u);
        }
    }
}

TEST_P(TransactionContract, AUniqueConstraintIsReportedNotThrown) {
    execute("INSERT INTO things (id, name) VALUES (1, 'a')");
    Transaction tx;
    tx.add(Expect::one, "INSERT INTO things (id, name) VALUES (2, 'b')");
    tx.add(Expect::one, "INSERT INTO things (id, name) VALUES (3, 'a')");
    tx.add(Expect::one, "INSERT INTO things (id, name) VALUES (4, 'c')");
    const Outcome outcome = commit(std::move(tx));
    EXPECT_FALSE(outcome.committed);
    EXPECT_EQ(outcome.failed_at, 1u);
    EXPECT_EQ(count_things(), 1);
}

TEST_P(TransactionContract, AFailingThirdStatementUndoesTheFirstTwo) {
    Transaction tx;
    tx.add(Expect::one, "INSERT INTO things (id) VALUES (1)");
    tx.add(Expect::one, "INSERT INTO things (id) VALUES (2)");
    tx.add(Expect::one, "INSERT INTO nowhere (id) VALUES (3)");
    EXPECT_THROW(commit(std::move(tx)), Unavailable);
    EXPECT_EQ(count_things(), 0);
    EXPECT_EQ(execute("INSERT INTO things (id) VALUES (1)").affected(), 1);
}

TEST_P(TransactionContract, AForeignKeyThatDoesNotHoldUndoesItsOwnTransactionOnly) {
    Transaction bad;
    bad.add(Expect::one, "INSERT INTO things (id) VALUES (1)");
    bad.add(Expect::one, "INSERT INTO parts (id, thing) VALUES (1, 2)");
    Transaction good;
    good.add(Expect::one, "INSERT INTO things (id) VALUES (5)");
    std::vector<awaitable<Outcome>> works;
    works.push_back(database->commit(std::move(bad)));
    works.push_back(database->commit(std::move(good)));
    const auto ended = run_all(std::move(works), 1);
    EXPECT_FALSE(ended[0].has_value());
    ASSERT_TRUE(ended[1].has_value());
    EXPECT_TRUE(ended[1]->committed);
    EXPECT_EQ(count_things(), 1);
}

TEST_P(TransactionContract, AnEmptyTransactionIsCommitted) { EXPECT_TRUE(commit({}).committed); }

TEST_P(TransactionContract, RefusedNeighborsDoNotDisturbEachOther) {
    std::vector<awaitable<Outcome>> works;
    for (int i = 0; i < 120; ++i) {
        Transaction tx;
        tx.add(Expect::one, "INSERT INTO things (id) VALUES ($1)", i);
        tx.add(i % 3 == 0 ? Expect::none : Expect::one, "UPDATE things SET flag = TRUE WHERE id = $1", i);
        works.push_back(database->commit(std::move(tx)));
    }
    const auto outcomes = values_of(std::move(works));
    for (std::size_t i = 0; i < outcomes.size(); ++i) EXPECT_EQ(outcomes[i].committed, i % 3 != 0) << i;
    EXPECT_EQ(count_things(), 80);
}

awaitable<bool> spend(storage::Database& on, int id) {
    Transaction tx;
    tx.add(Expect::one, "UPDATE things SET flag = TRUE WHERE id = $1 AND flag = FALSE", id);
    const Outcome outcome = co_await on.commit(std::move(tx));
    co_return outcome.committed;
}

awaitable<bool> take(storage::Database& on, int id) {
    const Rows rows = co_await on.execute("DELETE FROM things WHERE id = $1 RETURNING id", id);
    co_return !rows.empty();
}

awaitable<bool> insert(storage::Database& on, int id) {
    Transaction tx;
    tx.add(Expect::one, "INSERT INTO things (id) VALUES ($1)", id);
    const Outcome outcome = co_await on.commit(std::move(tx));
    co_return outcome.committed;
}

TEST_P(TransactionContract, OfManyConditionalUpdatesOneWins) {
    execute("INSERT INTO things (id, flag) VALUES (1, FALSE)");
    EXPECT_EQ(successes_of(64, [&](std::size_t) { return spend(*database, 1); }), 1u);
}

TEST_P(TransactionContract, OfTwoProcessesOneWins) {
    const auto other = place->open();
    for (int id = 1; id <= 10; ++id) {
        execute("INSERT INTO things (id, flag) VALUES ($1, FALSE)", id);
        EXPECT_EQ(successes_of(16, [&](std::size_t i) { return spend(i % 2 == 0 ? *database : *other, id); }), 1u);
    }
}

TEST_P(TransactionContract, OfManyTakersOneTakes) {
    execute("INSERT INTO things (id) VALUES (1)");
    EXPECT_EQ(successes_of(200, [&](std::size_t) { return take(*database, 1); }), 1u);
}

TEST_P(TransactionContract, OfManyInsertsOfOneKeyOneWins) {
    EXPECT_EQ(successes_of(64, [&](std::size_t) { return insert(*database, 1); }), 1u);
}

TEST_P(TransactionContract, NoIncrementIsLost) {
    execute("INSERT INTO counters (id, attempt) VALUES (1, 0)");
    std::vector<awaitable<Rows>> works;
    for (int i = 0; i < 200; ++i)
        works.push_back(database->execute("UPDATE counters SET attempt = attempt + 1 WHERE id = $1", 1));
    values_of(std::move(works));
    EXPECT_EQ(query("SELECT attempt FROM counters")[0].integer(0), 200);
}

INSTANTIATE_TEST_SUITE_P(Engines, TransactionContract, ::testing::ValuesIn(database_engines()), engine_name);

}  // namespace
}  // namespace consentry::tests
