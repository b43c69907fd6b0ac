// Tests schema changes: they run in order and once, can be resumed, and never go backwards (STO-5).
#include <stdexcept>
#include <thread>

#include "tests/contracts/database_contract.hpp"

namespace consentry::tests {
namespace {

using storage::Migration;

class MigrationContract : public ::testing::TestWithParam<DatabaseEngine> {
protected:
    MigrationContract() : place(GetParam().make()) {}
    std::int64_t number(std::string_view sql) { return run(place->open()->query(sql))[0].integer(0); }

    const Migration first{
        1, "0001_first.sql", {"CREATE TABLE a (id BIGINT PRIMARY KEY);", "INSERT INTO a VALUES (1);"}};
    const Migration second{2, "0002_second.sql", {"ALTER TABLE a ADD COLUMN b TEXT;", "UPDATE a SET b = 'x';"}};
    std::unique_ptr<DatabasePlace> place;
};

TEST_P(MigrationContract, STO_5_AreAppliedInOrderAndOnce) {
    place->migrate({first});
    place->migrate({first, second});
    place->migrate({first, second});
    EXPECT_EQ(number("SELECT count(*) FROM a WHERE b = 'x'"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM schema_migrations"), 2);
    EXPECT_GT(number("SELECT min(applied_at) FROM schema_migrations"), 1'600'000'000'000);
}

TEST_P(MigrationContract, STO_5_GoOnWhereTheyFailed) {
    const Migration broken{2, "0002_second.sql", {"ALTER TABLE a ADD COLUMN b TEXT;", "UPDATE nothing SET b = 'x';"}};
    EXPECT_THROW(place->migrate({first, broken}), std::runtime_error);
    EXPECT_EQ(number("SELECT max(number) FROM schema_migrations"), 1);  // the second migration left nothing behind
    place->migrate({first, second});
    EXPECT_EQ(number("SELECT count(*) FROM a WHERE b = 'x'"), 1);
}

TEST_P(MigrationContract, STO_5_RefuseADatabaseThatIsNewer) {
    place->migrate({first, second});
    try {
        place->migrate({first});
        FAIL() << "accepted";
    } catch (const std::runtime_error& error) {
        const std::string_view what = error.what();
        EXPECT_NE(what.find("version 2"), std::string_view::npos) << what;
        EXPECT_NE(what.find("up to 1"), std::string_view::npos) << what;
    }
}

TEST_P(MigrationContract, STO_5_TellWhetherTheyWouldUpgradeASchemaInUse) {
    const auto is_due = [this](const std::vector<Migration>& known) { return place->open()->upgrade_is_due(known); };
    EXPECT_FALSE(is_due({first})) << "a new database has no schema yet";
    place->migrate({first});
    EXPECT_FALSE(is_due({first}));
    EXPECT_TRUE(is_due({first, second}));
    EXPECT_EQ(number("SELECT count(*) FROM schema_migrations"), 1) << "asking applies nothing";
    place->migrate({first, second});
    EXPECT_FALSE(is_due({first, second}));
}

TEST_P(MigrationContract, STO_5_OfSeveralProcessesAtOnceAreAppliedOnce) {
    {
        std::vector<std::jthread> processes;
        for (int i = 0; i < 4; ++i) processes.emplace_back([this] { place->migrate({first, second}); });
    }
    EXPECT_EQ(number("SELECT count(*) FROM a WHERE b = 'x'"), 1);
}

TEST_P(MigrationContract, STO_5_OfTheProgramApply) {
    place->migrate(storage::migrations());
    place->migrate(storage::migrations());
    EXPECT_EQ(number("SELECT count(*) FROM schema_migrations"),
              static_cast<std::int64_t>(storage::migrations().size()));
}

// If a process ends at any statement of any migration, the next process continues as if that migration had never begun.
TEST_P(MigrationContract, STO_5_OfTheProgramGoOnFromAnyStatement) {
    const auto all = storage::migrations();
    for (std::size_t n = 0; n < all.size(); ++n) {
        const std::vector<Migration> until(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n) + 1);
        for (std::size_t statement = 0; statement <= all[n].statements.size(); ++statement) {
            SCOPED_TRACE(std::string(all[n].name) + " before statement " + std::to_string(statement));
            auto broken = until;
            auto& statements = broken.back().statements;
            statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(statement), "UPDATE nothing SET b = 1;");
            EXPECT_THROW(place->migrate(broken), std::runtime_error);
            if (n > 0) EXPECT_EQ(number("SELECT count(*) FROM schema_migrations"), static_cast<std::int64_t>(n));
        }
        place->migrate(until);
    }
    EXPECT_EQ(number("SELECT count(*) FROM schema_migrations"), static_cast<std::int64_t>(all.size()));
}

INSTANTIATE_TEST_SUITE_P(Engines, MigrationContract, ::testing::ValuesIn(database_engines()), engine_name);

}  // namespace
}  // namespace consentry::tests
