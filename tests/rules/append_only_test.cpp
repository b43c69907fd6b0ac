// DOC-5: the history of consent is append-only. The program contains no statement that changes its rows, and one that
// deletes them: with the account, once it is erased.
#include <cctype>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

constexpr std::string_view table = "term_policy_acceptances";

// The only file that may delete rows, and how, to the letter: those of one account that is marked as erased.
constexpr std::string_view erasing_file = "src/features/acceptances/erasure_repository.cpp";
constexpr std::string_view erasing_statement =
    "\"delete from term_policy_acceptances where id in (select a.id from term_policy_acceptances a "
    "where a.user_id = $1 and exists (select 1 from users u where u.id = $1 and u.erased_at is not null) "
    "order by a.accepted_at, a.id limit $2)\"";

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

// The source without the statement that may delete, which it must contain once.
std::string without_erasure(std::string_view source) {
    std::string text = joined(source);
    const auto at = text.find(erasing_statement);
    if (at == std::string::npos) return "DROP TABLE " + std::string(table) + " -- the statement has another text now";
    return text.erase(at, erasing_statement.size());
}

TEST(DOC_5, NoStatementOfTheProgramChangesTheHistoryOfConsent) {
    std::size_t naming = 0;
    for (const char* folder : {"src", "migrations"})
        for (const std::string& path : files_below(folder)) {
            const std::string text = read_file(path);
            if (text.contains(table)) ++naming;
            EXPECT_FALSE(changes_history(path == erasing_file ? without_erasure(text) : text)) << path;
        }
    EXPECT_GE(naming, 2U) << "the table has another name now";
}

TEST(DOC_5, TheErasureIsOneStatementOfOneFile) {
    const std::string file = read_file(std::string(erasing_file));
    EXPECT_TRUE(changes_history(file));
    EXPECT_FALSE(changes_history(without_erasure(file)));
    EXPECT_TRUE(changes_history(without_erasure(file + file))) << "once";
    std::string wider = file;
    wider.replace(wider.rfind("u.erased_at IS NOT NULL"), 23, "u.deleted_at > 0");
    EXPECT_TRUE(changes_history(without_erasure(wider))) << "of erased accounts alone";
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
