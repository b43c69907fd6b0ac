// Tests lists on every engine: each engine accepts the SQL of list_sql and interprets it the same way.
#include <algorithm>

#include "storage/list_sql.hpp"
#include "tests/contracts/database_contract.hpp"

namespace consentry::tests {
namespace {

using storage::ListSource;
using storage::Row;

// Many rows share a value of `rank`, and some of them also a value of `shelf`, so that the id decides their order.
const std::vector<storage::Migration>& list_schema() {
    static const std::vector<storage::Migration> schema{
        {1,
         "0001_list.sql",
         {"CREATE TABLE books (id UUID PRIMARY KEY, rank BIGINT NOT "
          "NULL, shelf BIGINT NOT NULL, title TEXT, lent BOOLEAN "
          "NOT NULL);",
          "CREATE INDEX books_order ON books (rank, id);", "CREATE TABLE numbers (id BIGINT PRIMARY KEY);"}}};
    return schema;
}

struct Book {
    Uuid id;
    std::int64_t rank = 0;
    std::int64_t shelf = 0;
    std::optional<std::string> title;
    bool operator==(const Book&) const = default;
};
Book to_book(const Row& row) { return {row.uuid(0), row.integer(1), row.integer(2), row.text_or_null(3)}; }

constexpr ListSource books{.columns = "id, rank, shelf, title", .from = "books WHERE rank >= $1"};

class ListContract : public ::testing::TestWithParam<DatabaseEngine> {
protected:
    ListContract() : place(GetParam().make()) {
        place->migrate(list_schema());
        database = place->open();
    }

    Book add(std::int64_t rank, std::int64_t shelf, std::optional<std::string> title = {}, bool lent = false) {
        const Book book{Uuid::v7(from_epoch_ms(rank)), rank, shelf, std::move(title)};
        run(database->execute("INSERT INTO books (id, rank, shelf, title, lent) VALUES ($1, $2, $3, $4, $5)", book.id,
                              book.rank, book.shelf, book.title, lent));
        return book;
    }
    ListSlice<Book> list(const ListQuery& query) {
        return run(storage::select_list(*database, books, query, to_book, std::int64_t{0}));
    }
    std::vector<std::string> titles(const ListQuery& query) {
        std::vector<std::string> out;
        for (const Book& book : list(query).items) out.push_back(book.title.value_or("-"));
        std::ranges::sort(out);
        return out;
    }

    std::unique_ptr<DatabasePlace> place;
    std::unique_ptr<storage::Database> database;
};

using Titles = std::vector<std::string>;

TEST_P(ListContract, EveryOrderIsWalkedWholeByCursor) {
    std::vector<Book> all;
    for (std::int64_t i = 0; i < 60; ++i) all.push_back(add(i % 4, i % 3));
    for (const bool rank_descending : {false, true})
        for (const bool shelf_descending : {false, true}) {
            std::ranges::sort(all, [&](const Book& a, const Book& b) {
                if (a.rank != b.rank) return (a.rank < b.rank) != rank_descending;
                if (a.shelf != b.shelf) return (a.shelf < b.shelf) != shelf_descending;
                return (a.id < b.id) != shelf_descending;
            });
            ListQuery query;
            query.by_cursor = true;
            query.limit = 7;
            query.order = {{"rank", rank_descending}, {"shelf", shelf_descending}};
            std::vector<Book> walked;
            for (;;) {
                const auto slice = list(query);
                walked.insert(walked.end(), slice.items.begin(), slice.items.end());
                EXPECT_EQ(slice.has_more, slice.end.has_value());
                EXPECT_FALSE(slice.count);
                if (!slice.has_more) break;
                ASSERT_EQ(slice.items.size(), 7U);
                query.after = slice.end;
            }
            EXPECT_EQ(walked, all) << rank_descending << shelf_descending;
        }
}

TEST_P(ListContract, PagesByNumberHoldEachRowOnce) {
    std::vector<Book> all;
    for (std::int64_t i = 0; i < 25; ++i) all.push_back(add(i % 2, 0));
    std::ranges::sort(all, std::greater{}, [](const Book& book) { return std::pair(book.rank, book.id); });
    ListQuery query;
    query.order = {{"rank", true}};
    query.limit = 10;
    std::vector<Book> walked;
    for (query.offset = 0; query.offset < 40; query.offset += 10) {
        const auto slice = list(query);
        walked.insert(walked.end(), slice.items.begin(), slice.items.end());
        EXPECT_EQ(slice.has_more, query.offset < 20);
        EXPECT_EQ(slice.count, 25);
    }
    EXPECT_EQ(walked, all);
}

TEST_P(ListContract, NothingIsAPageAsWell) {
    ListQuery query;
    query.order = {{"rank", true}};
    EXPECT_EQ(list(query).count, 0);
    query.by_cursor = true;
    const auto slice = list(query);
    EXPECT_TRUE(slice.items.empty());
    EXPECT_FALSE(slice.has_more);
}

TEST_P(ListContract, FiltersNarrow) {
    add(1, 1, "a");
    add(2, 2, "b", true);
    add(3, 3, "c");
    const auto filtered = [&](ListCondition condition) {
        ListQuery query;
        query.order = {{"rank", false}};
        query.conditions = {std::move(condition)};
        return titles(query);
    };
    using enum ListCondition::Comparison;
    EXPECT_EQ(filtered({"title", one_of, {std::string("a"), std::string("c")}, 5}), (Titles{"a", "c"}));
    EXPECT_EQ(filtered({"lent", one_of, {true}}), (Titles{"b"}));
    EXPECT_EQ(filtered({"(title IS NULL)", one_of, {true}}), Titles{});
    EXPECT_EQ(filtered({"rank", at_least, {std::int64_t{2}}}), (Titles{"b", "c"}));
    EXPECT_EQ(filtered({"rank", below, {std::int64_t{2}}}), (Titles{"a"}));
    EXPECT_EQ(filtered({"id", one_of, {*Uuid::parse("01890000-0000-7000-8000-000000000001")}}), Titles{});
}

TEST_P(ListContract, SearchIsASubstringWithoutCase) {
    for (const char* title : {"Sea of Glass", "50% off", "a_b", R"(back\slash)", "plain"}) add(1, 1, title);
    add(1, 1);
    const auto found = [&](const std::string& text) {
        ListQuery query;
        query.order = {{"rank", false}};
        query.search = text;
        query.search_expressions = {"title"};
        return titles(query);
    };
    EXPECT_EQ(found("OF"), (Titles{"50% off", "Sea of Glass"}));
    EXPECT_EQ(found("%"), (Titles{"50% off"}));
    EXPECT_EQ(found("_"), (Titles{"a_b"}));
    EXPECT_EQ(found(R"(\)"), (Titles{R"(back\slash)"}));
    EXPECT_EQ(found("Glass' OR '1'='1"), Titles{});
}

TEST_P(ListContract, ALargeTableGivesTheSamePages) {
    for (std::int64_t i = 0; i < 30; ++i) add(i % 7, i % 3, "title " + std::to_string(i % 5), i % 2 == 0);
    ListSource large = books;
    large.large = true;
    ListQuery query;
    query.order = {{"rank", true}};
    query.limit = 4;
    query.search_expressions = {"title"};
    for (const bool by_cursor : {false, true})
        for (const char* search : {"", "TITLE 3", "nothing"})
            for (const bool filtered : {false, true}) {
                query.by_cursor = by_cursor;
                query.search = search;
                query.conditions.clear();
                if (filtered) query.conditions = {{.expression = "lent", .values = {true}}};
                const auto expected = list(query);
                const auto found = run(storage::select_list(*database, large, query, to_book, std::int64_t{0}));
                EXPECT_EQ(found.items, expected.items) << by_cursor << search << filtered;
                EXPECT_EQ(found.count, expected.count);
                EXPECT_EQ(found.end, expected.end);
            }
}

// Without a search, the page and the count are read concurrently. If both fail, the caller still receives one outage.
TEST_P(ListContract, AnOutageWithALargeTableIsToldAsOne) {
    const ListSource broken{.columns = "id, rank, shelf, title", .from = "nothing WHERE rank >= $1", .large = true};
    ListQuery query;
    query.order = {{"rank", true}};
    for (const char* search : {"", "text"}) {
        query.search = search;
        query.search_expressions = {"title"};
        EXPECT_THROW(run(storage::select_list(*database, broken, query, to_book, std::int64_t{0})), Unavailable);
    }
}

TEST_P(ListContract, MatchesAreCountedUpToABound) {
    run(
        database->execute("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10007) "
                          "INSERT INTO numbers (id) SELECT i FROM n"));
    ListQuery query;
    query.order = {{"id", true}};
    const auto found = run(storage::select_list(
        *database, {.columns = "id", .from = "numbers WHERE TRUE"}, query,
        +[](const Row& row) { return row.integer(0); }));
    EXPECT_EQ(found.count, list_count_max);
    EXPECT_EQ(found.items.front(), 10'007);
}

INSTANTIATE_TEST_SUITE_P(Engines, ListContract, ::testing::ValuesIn(database_engines()), engine_name);

}  // namespace
}  // namespace consentry::tests
