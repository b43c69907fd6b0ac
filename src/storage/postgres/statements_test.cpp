#include "storage/postgres/statements.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace consentry::storage::postgres {
namespace {

TEST(PostgresStatements, WithoutAnExpectationStayAsTheyAre) {
    EXPECT_EQ(with_expectation("UPDATE a SET b = $1", Expect::any), "UPDATE a SET b = $1");
}

TEST(PostgresStatements, AreOfOneTextForEachExpectationAndTypes) {
    PreparedStatements prepared;
    const auto& first = prepared.find("UPDATE a SET b = $1", Expect::one, {20});
    EXPECT_EQ(&prepared.find("UPDATE a SET b = $1", Expect::one, {20}), &first);
    EXPECT_NE(&prepared.find("UPDATE a SET b = $1", Expect::one, {25}), &first);
    EXPECT_NE(&prepared.find("UPDATE a SET b = $1", Expect::none, {20}), &first);
    EXPECT_NE(prepared.find("UPDATE a SET b = $1", Expect::none, {20}).name, first.name);
}

TEST(PostgresStatements, AreNotKeptWithoutEnd) {
    PreparedStatements prepared;
    std::size_t named = 0;
    for (int i = 0; i < 2'000; ++i)
        named += prepared.find("SELECT " + std::to_string(i), Expect::any, {}).name.empty() ? 0 : 1;
    EXPECT_EQ(named, 512U);
    EXPECT_EQ(prepared.find("SELECT 1999", Expect::any, {}).text, "SELECT 1999");
    EXPECT_FALSE(prepared.find("SELECT 7", Expect::any, {}).name.empty());
}

TEST(PostgresStatements, ALookUpHasItsKeyOnce) {
    EXPECT_EQ(for_many_keys("SELECT id FROM a WHERE id = $1 AND b"),
              "SELECT found.* FROM unnest(CAST((SELECT $1) AS uuid[])) AS asked (key) "
              "CROSS JOIN LATERAL (SELECT id FROM a WHERE id = asked.key AND b OFFSET 0) AS found");
    EXPECT_THROW(for_many_keys("SELECT id FROM a"), std::logic_error);
    EXPECT_THROW(for_many_keys("SELECT id FROM a WHERE id = $1 OR b = $1"), std::logic_error);
}

}  // namespace
}  // namespace consentry::storage::postgres
