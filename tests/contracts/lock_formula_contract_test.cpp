// The lock ladder exists twice: in C++ (base/lock_ladder.hpp) and in the statement that counts an attempt. Tests that
// both yield the same on every engine.
#include "base/lock_ladder.hpp"
#include "storage/lock_sql.hpp"
#include "tests/contracts/database_contract.hpp"

namespace consentry::tests {
namespace {

using storage::Rows;

class LockFormulaContract : public DatabaseContract {};

TEST_P(LockFormulaContract, AgreesWithTheLadder) {
    constexpr std::int64_t now = 1'780'000'000'000;
    for (const LockLadder ladder : {LockLadder{}, LockLadder{.attempts_max = 3, .base = milliseconds{1}},
                                    LockLadder{.attempts_max = 7, .base = milliseconds{86'400'000}}}) {
        execute("DELETE FROM counters");
        storage::Transaction fill;
        for (int attempt = 1; attempt <= 400; ++attempt)
            fill.add(storage::Expect::one, "INSERT INTO counters (id, attempt) VALUES ($1, $2)", attempt, attempt - 1);
        ASSERT_TRUE(commit(std::move(fill)).committed);
        constexpr std::string_view select =
            storage::sql<"SELECT id, ", storage::lock_end_sql<"attempt", "$2", "$3", "$4">,
                         " FROM counters WHERE id > $1 ORDER BY id">;
        const Rows rows = query(select, 0, ladder.attempts_max, now, static_cast<double>(ladder.base.count()));
        ASSERT_EQ(rows.size(), 400u);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t attempt = rows[i].integer(0);
            const milliseconds expected = ladder.duration(attempt);
            if (expected == milliseconds{0})
                EXPECT_TRUE(rows[i].is_null(1)) << attempt;
            else
                EXPECT_EQ(rows[i].integer(1) - now, expected.count())
                    << "attempt " << attempt << " of " << ladder.attempts_max;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, LockFormulaContract, ::testing::ValuesIn(database_engines()), engine_name);

}  // namespace
}  // namespace consentry::tests
