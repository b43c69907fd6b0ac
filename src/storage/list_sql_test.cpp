#include "storage/list_sql.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace consentry::storage {
namespace {

using enum ListCondition::Comparison;

const Uuid id = *Uuid::parse("01890000-0000-7000-8000-000000000001");
constexpr ListSource source{.columns = "id, name", .from = "things WHERE owner = $1"};

ListQuery newest_first() {
    ListQuery query;
    query.order = {{.expression = "created_at", .descending = true}};
    return query;
}
std::string text_of(const ListQuery& query) { return list_statement(source, query, bind_all("me")).sql; }

TEST(ListSql, APageByNumberReadsOneRowMore) {
    ListQuery query = newest_first();
    query.limit = 7;
    query.offset = 14;
    const auto statement = list_statement(source, query, bind_all("me"));
    EXPECT_EQ(statement.sql,
              "SELECT id, name FROM things WHERE owner = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3");
    EXPECT_EQ(statement.params, (Params{"me", std::int64_t{8}, std::int64_t{14}}));
}

TEST(ListSql, ACursorListReadsThePlacesOfItsRows) {
    ListQuery query = newest_first();
    query.by_cursor = true;
    query.id_expression = "t.id";
    EXPECT_EQ(text_of(query),
              "SELECT id, name, created_at, t.id FROM things WHERE owner = $1 ORDER BY created_at DESC, t.id DESC "
              "LIMIT $2");
}

TEST(ListSql, OneDirectionComparesRows) {
    ListQuery query = newest_first();
    query.by_cursor = true;
    query.after = ListPosition{{1'700}, id};
    const auto statement = list_statement(source, query, bind_all("me"));
    EXPECT_EQ(statement.sql,
              "SELECT id, name, created_at, id FROM things WHERE owner = $1 AND (created_at, id) < ($2, $3) "
              "ORDER BY created_at DESC, id DESC LIMIT $4");
    EXPECT_EQ(statement.params, (Params{"me", std::int64_t{1'700}, id, std::int64_t{21}}));

    query.order[0].descending = false;
    EXPECT_TRUE(text_of(query).contains("(created_at, id) > ($2, $3) ORDER BY created_at ASC, id ASC"));
}

TEST(ListSql, MixedDirectionsCompareTermByTerm) {
    ListQuery query;
    query.by_cursor = true;
    query.order = {{.expression = "a", .descending = true}, {.expression = "b", .descending = false}};
    query.after = ListPosition{{1, 2}, id};
    EXPECT_EQ(text_of(query),
              "SELECT id, name, a, b, id FROM things WHERE owner = $1 AND a <= $2 AND "
              "(a < $2 OR (a = $2 AND (b > $3 OR (b = $3 AND id > $4)))) ORDER BY a DESC, b ASC, id ASC LIMIT $5");
}

TEST(ListSql, APositionOfAnotherOrderIsAMistakeOfOurs) {
    ListQuery query = newest_first();
    query.by_cursor = true;
    query.after = ListPosition{{1, 2}, id};
    EXPECT_THROW(text_of(query), std::logic_error);
}

TEST(ListSql, SetsHaveOneTextForAnyNumberOfValues) {
    const auto with = [](std::vector<ListValue> values) {
        ListQuery query = newest_first();
        query.conditions = {{.expression = "kind", .values = std::move(values), .values_max = 3}};
        return list_statement(source, query, bind_all("me"));
    };
    const auto one = with({std::string("a")});
    const auto two = with({std::string("a"), std::string("b")});
    EXPECT_EQ(one.sql, two.sql);
    EXPECT_TRUE(one.sql.contains("WHERE owner = $1 AND kind IN ($2, $3, $4) ORDER BY"));
    EXPECT_EQ(Params(two.params.begin() + 1, two.params.begin() + 4), (Params{"a", "b", "b"}));
}

TEST(ListSql, ConditionsCompareAndNeverPutAValueIntoTheText) {
    ListQuery query = newest_first();
    query.conditions = {{.expression = "note", .values = {std::string("'; DROP TABLE things; --")}},
                        {.expression = "created_at", .comparison = at_least, .values = {std::int64_t{5}}},
                        {.expression = "created_at", .comparison = below, .values = {std::int64_t{9}}},
                        {.expression = "(ended_at IS NOT NULL)", .values = {true}}};
    EXPECT_EQ(text_of(query),
              "SELECT id, name FROM things WHERE owner = $1 AND note IN ($2) AND created_at >= $3 AND created_at < $4 "
              "AND (ended_at IS NOT NULL) IN ($5) ORDER BY created_at DESC, id DESC LIMIT $6 OFFSET $7");
    query.conditions = {{.expression = "note", .values = {}}};
    EXPECT_THROW(text_of(query), std::logic_error);
}

TEST(ListSql, SearchExaminesEachFieldAndTakesPatternsLiterally) {
    ListQuery query = newest_first();
    query.search = R"(50%_\o)";
    query.search_expressions = {"name", "note"};
    const auto statement = list_statement(source, query, bind_all("me"));
    EXPECT_TRUE(statement.sql.contains(
        R"( AND (lower(name) LIKE lower($2) ESCAPE '\' OR lower(note) LIKE lower($2) ESCAPE '\') ORDER BY)"));
    EXPECT_EQ(statement.params[1], Param{R"(%50\%\_\\o%)"});
    query.search_expressions.clear();
    EXPECT_FALSE(text_of(query).contains("LIKE"));
}

TEST(ListSql, FindsIdsFirstWhereToldToAndByPageNumberOnly) {
    ListSource wide = source;
    wide.large = true;
    ListQuery query = newest_first();
    query.conditions = {{.expression = "kind", .values = {std::string("a")}}};
    EXPECT_EQ(
        list_statement(wide, query, bind_all("me")).sql,
        "SELECT id, name FROM things WHERE owner = $1 AND id IN (SELECT id FROM things WHERE owner = $1 AND kind IN "
        "($2) ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4) ORDER BY created_at DESC, id DESC");
    query.by_cursor = true;
    EXPECT_EQ(list_statement(wide, query, bind_all("me")).sql, list_statement(source, query, bind_all("me")).sql);
}

TEST(ListSql, TheCountIsBounded) {
    ListQuery query = newest_first();
    query.conditions = {{.expression = "kind", .values = {std::string("a")}}};
    const auto statement = count_statement(source, query, bind_all("me"));
    EXPECT_EQ(statement.sql,
              "SELECT count(*) FROM (SELECT 1 FROM things WHERE owner = $1 AND kind IN ($2) LIMIT $3) AS matches");
    EXPECT_EQ(statement.params, (Params{"me", "a", list_count_max}));

    ListSource otherwise = source;
    otherwise.counted_from = "names WHERE owner = $1";
    EXPECT_EQ(count_statement(otherwise, query, bind_all("me")).sql,
              "SELECT count(*) FROM (SELECT 1 FROM names WHERE owner = $1 AND kind IN ($2) LIMIT $3) AS matches");
}

}  // namespace
}  // namespace consentry::storage
