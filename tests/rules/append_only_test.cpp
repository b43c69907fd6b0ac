// DOC-5: the history of consent is append-only. The program contains no statement that changes or deletes its rows.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rules/source_tree.hpp"

namespace consentry::rules {
namespace {

constexpr std::string_view table = "term_policy_acceptances";

// Joins the pieces of string literals, collapses white space and converts letters to lower case.
std::string joined(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
        if (text[i] == '"') {
            std::size_t next = i + 1;
            while (next < text.size() && is_blank(text[next])) ++next;
            if (next > i + 1 && next < text.size() && text[next] == '"') {
                i = next;
                continue;
            }
        }
        if (!is_blank(text[i]))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
        else if (!out.ends_with(' '))
            out += ' ';
    }
    return out;
}

bool changes_history(std::string_view source) {
    const std::string text = joined(source);
    for (const std::string_view verb : {"update ", "update only ", "delete from ", "delete from only ", "truncate ",
                                        "truncate table ", "replace into ", "drop table ", "merge into "})
        for (const std::string_view quote : {"", "\"", "\\\""})
            if (text.contains(std::string(verb) + std::string(quote) + std::string(table))) return true;
    // An upsert changes rows as well.
    const std::string insert = "insert into " + std::string(table);
    for (auto at = text.find(insert); at != std::string::npos; at = text.find(insert, at + 1)) {
        const std::string_view statement = std::string_view(text).substr(at, text.find(';', at) - at);
        if (statement.contains("do update")) return true;
    }
    return false;
}

TEST(DOC_5, NoStatementOfTheProgramChangesTheHistoryOfConsent) {
    std::size_t naming = 0;
    for (const char* folder : {"src", "migrations"})
        for (const std::string& path : files_below(folder)) {
            const std::string text = read_file(path);
            if (text.contains(table)) ++naming;
            EXPECT_FALSE(changes_history(text)) << path;
        }
    EXPECT_GE(naming, 2U) << "the table has another name now";
}

TEST(DOC_5, TheSearchForChangesItself) {
    const std::string name(table);
    for (const std::string& statement :
         {"UPDATE " + name + " SET x = 1", "delete\n  from " + name, "\"UPDATE \"\n    \"" + name + " SET\"",
          "DROP TABLE " + name, "INSERT INTO " + name + " VALUES (1) ON CONFLICT (id) DO UPDATE SET x = 1;",
          "INSERT OR REPLACE INTO " + name, "UPDATE \\\"" + name + "\\\" SET"})
        EXPECT_TRUE(changes_history(statement)) << statement;
    for (const std::string& statement :
         {"INSERT INTO " + name + " VALUES (1); INSERT INTO a ON CONFLICT DO UPDATE", "SELECT 1 FROM " + name,
          "there is no UPDATE and no DELETE of this table. CREATE TABLE " + name, std::string("UPDATE term_policies")})
        EXPECT_FALSE(changes_history(statement)) << statement;
}

}  // namespace
}  // namespace consentry::rules
