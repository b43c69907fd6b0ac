// An upsert names one unique index. If a concurrent update moves the row it would meet, PostgreSQL may miss that row,
// insert, and report a violation of another unique index, so the request fails although nothing is wrong.
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gmock/gmock.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// The tables that have another unique index and still take upserts, with the reason why that is harmless.
const std::map<std::string, std::string_view> exempt{
    {"account_tokens", "the digest and the reference of the other indexes are random in every attempt"},
    {"identities", "only a login that links the identity upserts; a second attempt finds it linked and updates it"},
};

// Returns the number of unique indexes of each table. `sql` is the text of all migrations.
std::map<std::string, std::size_t> unique_indexes(const std::string& sql) {
    std::string text;
    for (const std::string& line : lines_of(sql)) text += line.substr(0, line.find("--")) + " ";
    std::map<std::string, std::size_t> out;
    static const boost::regex table(R"(CREATE TABLE (\w+) \(([^;]*)\))");
    static const boost::regex key(R"(\b(PRIMARY KEY|UNIQUE)\b)");
    for (auto match = boost::sregex_iterator(text.begin(), text.end(), table); match != boost::sregex_iterator();
         ++match) {
        const std::string columns = (*match)[2];
        out[(*match)[1]] = static_cast<std::size_t>(
            std::distance(boost::sregex_iterator(columns.begin(), columns.end(), key), boost::sregex_iterator()));
    }
    static const boost::regex index(R"(CREATE UNIQUE INDEX \w+\s+ON (\w+))");
    for (auto match = boost::sregex_iterator(text.begin(), text.end(), index); match != boost::sregex_iterator();
         ++match)
        ++out[(*match)[1]];
    return out;
}

// Returns the tables of the upserts in a source file.
std::vector<std::string> upserted(std::string_view source) {
    static const boost::regex upsert(R"(INSERT INTO (\w+)((?!INSERT INTO)[^;])*DO UPDATE)");
    const std::string text = joined_literals(source);
    std::vector<std::string> out;
    for (auto match = boost::sregex_iterator(text.begin(), text.end(), upsert); match != boost::sregex_iterator();
         ++match)
        out.push_back((*match)[1]);
    return out;
}

TEST(Upserts, NoneMeetsASecondUniqueIndex) {
    std::string migrations;
    for (const std::string& path : files_below("migrations")) migrations += read_file(path) + "\n";
    const auto indexes = unique_indexes(migrations);
    std::map<std::string, std::size_t> found;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        for (const std::string& table : upserted(read_file(path))) {
            ++found[table];
            ASSERT_THAT(indexes, Contains(Key(table))) << path;
            if (!exempt.contains(table))
                EXPECT_EQ(indexes.at(table), 1U)
                    << path << ": update the row of " << table << " if it is known to exist";
        }
    }
    EXPECT_GE(found.size(), 5U) << "the search finds nothing any more";
    for (const auto& [table, reason] : exempt) EXPECT_THAT(found, Contains(Key(table))) << "no such upsert any more";
}

TEST(Upserts, TheSearchesThemselves) {
    EXPECT_THAT(unique_indexes("CREATE TABLE a (\n    id UUID PRIMARY KEY,  -- UNIQUE\n    b TEXT UNIQUE\n);\n"
                               "CREATE TABLE c (d TEXT, e TEXT, PRIMARY KEY (d));\nCREATE UNIQUE INDEX f\nON c (e);"),
                UnorderedElementsAre(Pair("a", 2U), Pair("c", 2U)));
    EXPECT_THAT(upserted("add(\"INSERT INTO a (b) \"\n    \"VALUES ($1) ON CONFLICT (b) DO UPDATE SET c = 1\");\n"
                         "add(\"INSERT INTO d (e) VALUES ($1) ON CONFLICT (e) DO NOTHING\");"),
                ElementsAre("a"));
    EXPECT_THAT(upserted("add(\"INSERT INTO d (e) VALUES ($1)\", \"INSERT INTO f (g) SELECT 1 ON CONFLICT (g) DO UPDATE"
                         " SET h = 1\");  // INSERT INTO i ON CONFLICT DO UPDATE"),
                ElementsAre("f"));
}

}  // namespace
}  // namespace consentry::rules
