// The statements of a feature are in its repositories. SQL is composed with sql<...> (storage/sql.hpp), not with
// macros. Rows are read through the table of their columns (storage/columns.hpp), not by column index.
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gmock/gmock.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Files that hold statements without being a repository, and the reason. ARCHITECTURE.md describes these kinds.
struct Store {
    std::string_view path;
    std::string_view why;
};
constexpr std::array stores{
    Store{"src/app/backup/backup.cpp", "reads the database of a copy"},
    Store{"src/app/commands/log_commands.cpp", "shows the operator a statement to run"},
    Store{"src/app/commands/start_check.cpp", "looks at a database that no service has open"},
    Store{"src/app/copy/copy_schema.cpp", "copies all tables"},
    Store{"src/app/copy/copy_source.cpp", "copies all tables"},
    Store{"src/app/copy/copy_target.cpp", "copies all tables"},
    Store{"src/app/doctor/data_checks.cpp", "counts what is overdue in any feature"},
    Store{"src/app/missing_keys.cpp", "looks at a database that no service has open"},
    Store{"src/app/two_factor_keys.cpp", "looks at a database that no service has open"},
    Store{"src/features/accounts/export.cpp", "reads rows into the DTOs that it writes"},
    Store{"src/features/sessions/epochs.cpp", "stores the epochs"},
    Store{"src/features/sessions/grants.cpp", "stores the generations of grants"},
    Store{"src/features/term_policies/loose_objects.cpp", "stores the list of objects that may belong to no document"},
    Store{"src/features/users/account_tokens.cpp", "stores the tokens of links"},
    Store{"src/features/users/actor.cpp", "asserts the rights of an actor"},
    Store{"src/features/users/generations.hpp", "names the numbers that statements compare"},
    Store{"src/features/users/policy_state.hpp", "names the state that the statement of a session reads"},
};

bool holds_statements(std::string_view source) {
    static const boost::regex statement(R"re("[^"]*\b(SELECT|INSERT INTO|UPDATE [a-z_]+ SET|DELETE FROM)\b[^"]*")re");
    return boost::regex_search(joined_literals(source), statement);
}

bool is_repository(std::string_view path) {
    const std::string name = file_name(path);
    return name == "repository.cpp" || name.ends_with("_repository.cpp");
}

// Returns the names of macros that expand to text.
std::vector<std::string> text_macros(std::string_view source) {
    static const boost::regex definition(R"(^\s*#\s*define\s+(\w+))");
    std::vector<std::string> out;
    std::string macro;  // the macro whose definition continues on this line
    for (const std::string& line : lines_of(source)) {
        boost::smatch match;
        if (boost::regex_search(line, match, definition)) macro = match[1];
        if (!macro.empty() && code_of(line).contains('"')) {
            out.push_back(macro);
            macro.clear();
        }
        if (!line.ends_with('\\')) macro.clear();
    }
    return out;
}

// Returns accesses by index to the third column or a later one, and by a sum, whatever the column it comes to.
std::vector<std::string> counted_columns(std::string_view source) {
    static const boost::regex reading(
        R"(\b\w*rows?\w*(\[[^\]]*\])?\.(is_null|(integer|boolean|real|text|bytes|uuid|time|id)(_or_null)?(<\w+>)?)\((\d+|\w+\s*\+\s*\d+)\))");
    std::vector<std::string> out;
    for (const std::string& line : lines_of(source)) {
        const std::string code(code_of(line));
        for (auto match = boost::sregex_iterator(code.begin(), code.end(), reading); match != boost::sregex_iterator();
             ++match) {
            const std::string place = (*match)[6];
            if (place.contains('+') || std::stoi(place) >= 2) out.push_back(match->str());
        }
    }
    return out;
}

// Returns deletions of all rows up to a time. One statement for them keeps all other writes waiting, and once it
// exceeds its time limit, it never succeeds again: execute_in_portions() (storage/portions.hpp).
std::vector<std::string> unbounded_deletions(std::string_view source) {
    static const boost::regex deletion(R"re("DELETE FROM \w+ WHERE \w+ <=? \$(?![^"]*LIMIT)[^"]*")re");
    const std::string code = joined_literals(source);
    std::vector<std::string> out;
    for (auto match = boost::sregex_iterator(code.begin(), code.end(), deletion); match != boost::sregex_iterator();
         ++match)
        out.push_back(match->str());
    return out;
}

// Tables whose rows, once they are due, never cease to be, and the reason.
struct Lasting {
    std::string_view table;
    std::string_view why;
};
constexpr std::array lasting{
    Lasting{"account_tokens", "a new token has another digest"}, Lasting{"activity_log", "entries never change"},
    Lasting{"password_history", "entries never change"},         Lasting{"sessions", "one that is over stays over"},
    Lasting{"spent_forward_auth_codes", "rows never change"},    Lasting{"spent_identity_tokens", "rows never change"},
    Lasting{"term_policy_acceptances", "rows never change"},
};

// Returns the tables of deletions whose condition stands only inside the sub-select. If a row changes while PostgreSQL
// waits for it, that part is not checked again: execute_in_portions() (storage/portions.hpp).
std::vector<std::string> deletions_by_key_alone(std::string_view source) {
    static const boost::regex deletion(R"re("DELETE FROM (\w+) WHERE \(?[\w, ]+\)? IN \(SELECT [^"]* FROM \1\b)re");
    const std::string code = joined_literals(source);
    std::vector<std::string> out;
    for (auto match = boost::sregex_iterator(code.begin(), code.end(), deletion); match != boost::sregex_iterator();
         ++match)
        out.push_back((*match)[1]);
    return out;
}

// The failed passwords of an account end with its checks under way, so one text names all their columns.
constexpr std::string_view password_attempts = "src/features/users/password_attempts.hpp";

bool sets_password_attempts(std::string_view source) {
    static const boost::regex assignment(R"re(("|SET |, )password_(attempt|locked_until|pending|pending_until) = )re");
    return boost::regex_search(joined_literals(source), assignment);
}

TEST(Sql, StandsInRepositories) {
    std::size_t repositories = 0;
    for (const char* folder : {"src/features", "src/pages", "src/app"})
        for (const std::string& path : files_below(folder)) {
            if (!is_source(path) || is_unit_test(path)) continue;
            repositories += is_repository(path) ? 1 : 0;
            const bool is_named = std::ranges::find(stores, path, &Store::path) != stores.end();
            if (!is_repository(path) && !is_named)
                EXPECT_FALSE(holds_statements(read_file(path)))
                    << path << ": this statement belongs in a repository of the feature";
        }
    EXPECT_GT(repositories, 20U);
    for (const Store& store : stores)
        EXPECT_TRUE(holds_statements(read_file(std::string(store.path)))) << store.path << " is named without need";
}

TEST(Sql, NoMacroStandsForText) {
    std::size_t files = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        ++files;
        EXPECT_THAT(text_macros(read_file(path)), IsEmpty()) << path;
    }
    EXPECT_GT(files, 0U) << "nothing was read: is the working directory the project root?";
}

TEST(Sql, NobodyCountsColumns) {
    for (const char* folder : {"src/features", "src/app"})
        for (const std::string& path : files_below(folder))
            if (is_source(path)) EXPECT_THAT(counted_columns(read_file(path)), IsEmpty()) << path;
}

TEST(Sql, WhatIsDueIsDeletedInPortions) {
    for (const std::string& path : files_below("src"))
        if (is_source(path) && !is_unit_test(path))
            EXPECT_THAT(unbounded_deletions(read_file(path)), IsEmpty()) << path;
}

TEST(Sql, ADeletionThatWaitedForARowLooksAtItAgain) {
    std::set<std::string, std::less<>> seen;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        for (const std::string& table : deletions_by_key_alone(read_file(path))) {
            EXPECT_TRUE(std::ranges::find(lasting, table, &Lasting::table) != lasting.end())
                << path << ": repeat the condition on " << table << " outside the sub-select";
            seen.insert(table);
        }
    }
    for (const Lasting& one : lasting) EXPECT_TRUE(seen.contains(one.table)) << one.table << " is named without need";
}

TEST(Sql, PasswordAttemptsAreGivenBackInOnePlace) {
    for (const std::string& path : files_below("src"))
        if (is_source(path) && !is_unit_test(path) && path != password_attempts)
            EXPECT_FALSE(sets_password_attempts(read_file(path))) << path << ": use " << password_attempts;
    EXPECT_TRUE(sets_password_attempts(read_file(std::string(password_attempts))));
}

TEST(Sql, TheSearchesThemselves) {
    for (const auto* source :
         {"query(\"SELECT 1\")", "sql<\"DELETE FROM \", table>", "Text a = \"INSERT INTO users (id)\";",
          "add(Expect::one, \"UPDATE \"\n    \"users SET name = $1\", name);"})
        EXPECT_TRUE(holds_statements(source)) << source;
    for (const auto* source : {"// \"SELECT 1\"", "says(\"Update the account\")", "filter(\"role\", \"u.role_id\")",
                               "fail(\"UPDATE failed\")"})
        EXPECT_FALSE(holds_statements(source)) << source;
    EXPECT_TRUE(sets_password_attempts("add(\"UPDATE users SET password_attempt = 0, \"\n\"updated_at = $2\");"));
    EXPECT_FALSE(sets_password_attempts("const bool password_attempt = ask(\"SELECT password_attempt\");"));
    EXPECT_TRUE(is_repository("src/features/users/repository.cpp"));
    EXPECT_TRUE(is_repository("src/features/accounts/erasure_repository.cpp"));
    EXPECT_FALSE(is_repository("src/features/accounts/accounts.cpp"));
    EXPECT_THAT(text_macros("#define A \"SELECT 1\"\n# define B(x) \\\n    x \\\n    \" FROM t\"\nauto c = \"d\";"),
                ElementsAre("A", "B"));
    EXPECT_THAT(text_macros("#define A 1  // \"one\"\n#define B(x) \\\n    x\nauto c = \"d\";"), IsEmpty());
    EXPECT_THAT(counted_columns("out.id = row.id<UserId>(0);\nout.name = row.text_or_null(2);\nrows[i].integer(13);"),
                ElementsAre("row.text_or_null(2)", "rows[i].integer(13)"));
    EXPECT_THAT(counted_columns("row.integer_or_null(first)\nrow.integer_or_null(first + 1)\nrows[0].text(at+2);"),
                ElementsAre("row.integer_or_null(first + 1)", "rows[0].text(at+2)"));
    EXPECT_THAT(unbounded_deletions("execute(\"DELETE FROM mails \"\n    \"WHERE failed_at < $1\", before);"),
                ElementsAre("\"DELETE FROM mails WHERE failed_at < $1\""));
    EXPECT_THAT(
        unbounded_deletions("\"DELETE FROM mails WHERE failed_at < $1 AND id IN (SELECT id FROM mails LIMIT $2)\""),
        IsEmpty());
    EXPECT_THAT(deletions_by_key_alone("\"DELETE FROM a WHERE (b, c) IN (SELECT b, \"\n    \"c FROM a WHERE d < $1)\""),
                ElementsAre("a"));
    EXPECT_THAT(deletions_by_key_alone("\"DELETE FROM a WHERE d < $1 AND b IN (SELECT b FROM a WHERE d < $1)\""),
                IsEmpty());
    EXPECT_THAT(counted_columns("rows[0].integer(0) + row.id<UserId>(1) + form.text(3)  // row.text(4)"), IsEmpty());
}

}  // namespace
}  // namespace consentry::rules
