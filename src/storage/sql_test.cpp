#include "storage/sql.hpp"

#include <gtest/gtest.h>

namespace consentry::storage {
namespace {

constexpr Text number_sql = "(SELECT n.value FROM numbers n)";
template <Text table>
constexpr Text is_of_number_sql = table + ".number = " + number_sql;

struct Fields {
    static constexpr Text sql_text = "id, name";
};
constexpr Fields fields;

std::string_view kept() { return sql<"SELECT ", fields, " FROM t WHERE ", is_of_number_sql<"t">>; }

TEST(Sql, PutsLiteralsFragmentsAndListsTogether) {
    EXPECT_EQ(kept(), "SELECT id, name FROM t WHERE t.number = (SELECT n.value FROM numbers n)");
    EXPECT_EQ(sql<"SELECT 1">, "SELECT 1");
    EXPECT_EQ(sql<>, "");
}

TEST(Sql, IsTheSameConstantAtEveryCall) { EXPECT_EQ(kept().data(), kept().data()); }

TEST(Sql, MakesOneBlankOfManyButNotInQuotes) {
    EXPECT_EQ((sql<R"(
                  SELECT 'a  b', "c  d"
                  FROM t )",
                   R"(
                  WHERE x = 'it''s  so'
              )">),
              "SELECT 'a  b', \"c  d\" FROM t WHERE x = 'it''s  so'");
    EXPECT_EQ(sql<"SELECT '--', 3 - -2">, "SELECT '--', 3 - -2");
}

// Within sql<...> neither compiles, so the test calls squeeze() directly.
TEST(Sql, RefusesCommentsAndOpenQuotes) {
    const auto ignore = [](char) {};
    EXPECT_THROW(detail::squeeze("SELECT 1 -- one\nFROM t", ignore), std::invalid_argument);
    EXPECT_THROW(detail::squeeze("SELECT 'one", ignore), std::invalid_argument);
    EXPECT_NO_THROW(detail::squeeze("SELECT '\"'", ignore));
}

}  // namespace
}  // namespace consentry::storage
