// STO-5: during a rolling update, the former version of the program runs on the new schema. It does not know the
// additions, so its writes must not depend on them, and everything it reads must remain.
#include <algorithm>
#include <string>
#include <vector>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Splits SQL into statements, in lower case, without comments and with white space collapsed.
std::vector<std::string> statements_in(const std::string& sql) {
    std::string text;
    for (std::string line : lines_of(sql)) {
        line = line.substr(0, line.find("--"));
        for (const char c : line + ' ') {
            const bool is_blank = c == ' ' || c == '\t';
            if (!is_blank || !text.ends_with(' '))
                text += is_blank ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        const std::string statement = text.substr(begin, end - begin);
        const auto first = statement.find_first_not_of(' ');
        if (first != std::string::npos) out.push_back(statement.substr(first));
        begin = end + 1;
    }
    return out;
}

// Returns what the former version cannot handle, or an empty string.
std::string complaint_of(const std::string& statement) {
    static const boost::regex adds(R"(^alter table \w+ add column \w+ (.*)$)");
    static const boost::regex harmless(
        R"(^(create (unique )?index |create table |insert into |update |delete from ).*)");
    boost::smatch found;
    if (boost::regex_match(statement, found, adds)) {
        const std::string definition = found[1];
        if (definition.contains("not null") && !definition.contains("default"))
            return "a column that the former version does not fill needs a default";
        if (definition.contains("unique") || definition.contains("primary key"))
            return "the former version fills the column with the same value in every row";
        return {};
    }
    if (boost::regex_match(statement, harmless)) return {};
    return "takes away, renames or changes what the former version knows";
}

TEST(STO_5, MigrationsLeaveTheFormerVersionWhatItKnows) {
    std::size_t read = 0;
    for (const std::string& path : files_below("migrations")) {
        if (!path.ends_with(".sql")) continue;
        for (const std::string& statement : statements_in(read_file(path))) {
            ++read;
            EXPECT_EQ(complaint_of(statement), "") << path << ": " << statement;
        }
    }
    EXPECT_GT(read, 30U);
}

TEST(STO_5, WhatTheFormerVersionCannotLiveWithIsFound) {
    const auto complaints = [](const std::string& sql) {
        std::size_t out = 0;
        for (const std::string& statement : statements_in(sql)) out += complaint_of(statement).empty() ? 0 : 1;
        return out;
    };
    EXPECT_EQ(
        complaints("ALTER TABLE a ADD COLUMN b BIGINT NOT NULL; -- why\nDROP TABLE a;\nALTER TABLE a\n RENAME TO b;"
                   "ALTER TABLE a DROP COLUMN b; ALTER TABLE a ADD COLUMN c TEXT UNIQUE"),
        5U);
    EXPECT_EQ(complaints("ALTER TABLE a ADD COLUMN b BIGINT NOT NULL DEFAULT 0;\nALTER TABLE a ADD COLUMN c TEXT;\n"
                         "CREATE INDEX a_b ON a (b); CREATE TABLE d (id BIGINT PRIMARY KEY); UPDATE a SET b = 1;"),
              0U);
}

// "5 to 7 and 9" are 5, 6, 7 and 9.
std::vector<int> numbers_in(const std::string& text) {
    static const boost::regex range(R"((\d+)(?:\s+to\s+(\d+))?)");
    std::vector<int> out;
    for (boost::sregex_iterator found(text.begin(), text.end(), range), end; found != end; ++found) {
        const int first = std::stoi((*found)[1]);
        const int last = (*found)[2].matched ? std::stoi((*found)[2]) : first;
        for (int number = first; number <= last; ++number) out.push_back(number);
    }
    return out;
}

TEST(Guides, CapacityNamesTheCostOfEachMigrationOnce) {
    const std::string page = read_file("docs/guides/capacity.md");
    const std::size_t begin = page.find("**Look at the migrations.**");
    ASSERT_NE(begin, std::string::npos);
    std::vector<int> named = numbers_in(page.substr(begin, page.find("\n2. ", begin) - begin));
    std::ranges::sort(named);
    std::vector<int> present;
    static const boost::regex migration(R"(migrations/(\d{4})_\w+\.sql)");
    for (const std::string& path : files_below("migrations"))
        if (boost::smatch found; boost::regex_match(path, found, migration)) present.push_back(std::stoi(found[1]));
    EXPECT_GT(present.size(), 20U);
    EXPECT_EQ(named, present);
}

}  // namespace
}  // namespace consentry::rules
