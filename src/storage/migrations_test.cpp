#include "storage/migrations.hpp"

#include <array>
#include <stdexcept>

#include <gmock/gmock.h>

namespace consentry::storage {
namespace {

TEST(Migrations, AreSortedAndCutAtSemicolonsThatEndALine) {
    const std::array files{
        EmbeddedFile{"0002_b.sql", "DROP TABLE a;\n"},
        EmbeddedFile{"0001_a.sql",
                     "-- a comment; with an end;\nCREATE TABLE a (\n  b TEXT DEFAULT ';x' -- not; here\n);  \r\n"
                     "CREATE INDEX i ON a (b);"},
    };
    const auto parsed = parse_migrations(files);
    ASSERT_EQ(parsed.size(), 2u);
    EXPECT_EQ(parsed[0].name, "0001_a.sql");
    ASSERT_EQ(parsed[0].statements.size(), 2u);
    EXPECT_TRUE(parsed[0].statements[0].starts_with("-- a comment"));
    EXPECT_EQ(parsed[0].statements[1], "CREATE INDEX i ON a (b);");
    EXPECT_EQ(parsed[1].number, 2);
}

TEST(Migrations, TrailingCommentsAreNoStatement) {
    const std::array files{EmbeddedFile{"0001_a.sql", "SELECT 1;\n\n-- the end\n"}};
    EXPECT_EQ(parse_migrations(files)[0].statements.size(), 1u);
}

TEST(Migrations, AStatementMayBeForOneEngineOnly) {
    const std::string_view index = "-- Only for PostgreSQL: it has no other.\nCREATE INDEX i ON a (b);";
    EXPECT_TRUE(is_for(index, "PostgreSQL"));
    EXPECT_FALSE(is_for(index, "SQLite"));
    EXPECT_TRUE(is_for("-- Words.\nCREATE TABLE a (b TEXT);", "SQLite"));
}

TEST(Migrations, TellTheTablesThatTheyCreate) {
    const std::array files{
        EmbeddedFile{"0001_a.sql",
                     "-- CREATE TABLE z (\n\n-- Words.\nCREATE TABLE a (b TEXT);\nCREATE INDEX i ON a (b);"},
        EmbeddedFile{"0002_b.sql",
                     "CREATE TABLE b(\n  c TEXT\n);\n-- Only for SQLite: it has no other.\nCREATE TABLE c (b TEXT);"},
    };
    EXPECT_THAT(created_tables(parse_migrations(files), "PostgreSQL"), testing::ElementsAre("a", "b"));
    EXPECT_THAT(created_tables(parse_migrations(files), "SQLite"), testing::ElementsAre("a", "b", "c"));
}

TEST(Migrations, RefusesGapsDoublesAndBadNames) {
    const std::array gap{EmbeddedFile{"0001_a.sql", ""}, EmbeddedFile{"0003_c.sql", ""}};
    const std::array twice{EmbeddedFile{"0001_a.sql", ""}, EmbeddedFile{"0001_b.sql", ""}};
    const std::array nameless{EmbeddedFile{"users.sql", ""}};
    const std::array endless{EmbeddedFile{"0001_a.sql", "SELECT 1"}};
    EXPECT_THROW(parse_migrations(gap), std::runtime_error);
    EXPECT_THROW(parse_migrations(twice), std::runtime_error);
    EXPECT_THROW(parse_migrations(nameless), std::runtime_error);
    EXPECT_THROW(parse_migrations(endless), std::runtime_error);
}

TEST(Migrations, OfTheProgramAreWellFormed) { EXPECT_NO_THROW(migrations()); }

}  // namespace
}  // namespace consentry::storage
