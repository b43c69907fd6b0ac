// Grants carry their generation (docs/decisions/0020): every table of grants has the columns, and every statement that
// matches or spends a grant compares them. Exempt tables and statements are listed here, with the reason.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gmock/gmock.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

struct GrantTable {
    std::string_view name;
    std::vector<std::string_view> columns;
};
const std::array grants{
    GrantTable{"sessions", {"security_version", "epoch"}},
    GrantTable{"account_tokens", {"security_version", "epoch"}},
    GrantTable{"known_devices", {"security_version", "epoch"}},
    GrantTable{"identities", {"security_version"}},
    GrantTable{"backup_codes", {"epoch"}},
    GrantTable{"api_keys", {"epoch"}},
};

// Tables with a secret or a digest that grants no access.
const std::set<std::string, std::less<>> no_grants{
    "users",                     // the password itself and the versions that grants carry
    "two_factors",               // the second factor itself; its last step is compared with the epoch's
    "password_history",          // passwords that may not be chosen again
    "import_rows",               // future accounts
    "unknown_logins",            // counts failures by address
    "link_requests",             // requests only; a link gets the generation in which its request is handled
    "unlinked_identities",       // identities that may not log in again
    "spent_identity_tokens",     // tokens that have been used
    "spent_forward_auth_codes",  // codes that have been used
    "term_policies",             // digests of published texts
    "term_policy_contents",      // digests of published texts
    "term_policy_acceptances",   // digests of published texts
    "administration_acts",       // numbers of actions
    "term_policy_diffs",         // digests of public pages
};

// The beginnings of statements over a table of grants that neither match nor spend a grant.
struct Exemption {
    std::string_view beginning;
    std::string_view reason;
};
constexpr std::array exemptions{
    Exemption{
        "UPDATE sessions SET revoked_at = COALESCE(revoked_at, $3), revoked_reason = COALESCE(revoked_reason, $4)",
        "ends them all"},
    Exemption{"SELECT id FROM sessions WHERE challenge_digest = $1", "whether a challenge was ever spent"},
    Exemption{"DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < $1", "over long ago"},
    Exemption{"UPDATE sessions SET last_active_at = $2", "of a session that was matched"},
    Exemption{"DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE user_id = $1", "erasure"},
    Exemption{"DELETE FROM users WHERE id = $1 AND erased_at IS NOT NULL", "the end of an erasure"},
    Exemption{" FROM sessions WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3", "the owner's export"},
    Exemption{"sessions WHERE user_id = $1\"", "an administrator's list, of those that are over too"},
    Exemption{"DELETE FROM known_devices WHERE user_id = $1", "forgets"},
    Exemption{"SELECT count(*) FROM known_devices", "the owner's export"},
    Exemption{"DELETE FROM account_tokens WHERE user_id = $1", "ends them all"},
    Exemption{"DELETE FROM account_tokens WHERE digest IN (SELECT digest FROM account_tokens WHERE expires_at", "over"},
    Exemption{"DELETE FROM identities WHERE user_id = $1", "ends them all"},
    Exemption{" FROM (SELECT provider, subject, email, created_at, last_used_at, NULL AS unlinked_at FROM identities "
              "WHERE user_id = $1 UNION ALL",
              "the owner's export"},
    Exemption{"INSERT INTO unlinked_identities (", "keeps in mind what the next statement deletes"},
    Exemption{"SELECT subject FROM identities WHERE provider = $1 AND subject IN ({})", "whether the key is taken"},
    Exemption{"INSERT INTO identities (provider, subject, user_id, email, created_at, security_version) SELECT '",
              "of an account that the same transaction makes: its version is 1"},
    Exemption{"DELETE FROM backup_codes WHERE user_id = $1\"", "ends them all"},
    Exemption{"DELETE FROM api_keys WHERE", "ends it"},
    Exemption{"UPDATE api_keys SET digest", "begins it anew"},
    Exemption{"(SELECT count(*) FROM sessions WHERE epoch = $1", "counts what a raise of the epoch ended"},
    Exemption{"(SELECT count(*) FROM account_tokens WHERE epoch = $1", "the same"},
    Exemption{"(SELECT count(*) FROM backup_codes WHERE epoch = $1", "the same"},
    Exemption{"(SELECT count(*) FROM api_keys WHERE epoch = $2", "the same"},
};

struct Found {
    std::string path;
    std::string statement;  // the C++ statement, as far as it can be found without parsing
    std::string literal;    // from the beginning of the string literal that names the table
};

// Finds every place in a source file whose SQL names a table of grants.
std::vector<Found> statements_over_grants(const std::string& path, const std::string& source) {
    static const boost::regex naming(
        R"(\b(FROM|UPDATE|INTO|JOIN) (sessions|account_tokens|known_devices|identities|backup_codes|api_keys)\b)"
        R"(|"(sessions|account_tokens|known_devices|identities|backup_codes|api_keys) WHERE)");
    const std::string text = joined_literals(source);
    std::vector<Found> out;
    for (auto match = boost::sregex_iterator(text.begin(), text.end(), naming); match != boost::sregex_iterator();
         ++match) {
        const auto at = static_cast<std::size_t>(match->position());
        const auto end = text.find(';', at);
        const auto begin = text.find_last_of(";{}", at) + 1;
        const auto literal = text.rfind('"', at) + 1;
        out.push_back({path, text.substr(begin, end - begin), text.substr(literal, end - literal)});
    }
    return out;
}

bool compares(std::string_view statement) {
    constexpr std::array fragments{"current_sql<",         "current_with_sql<",   "of_this_epoch_sql<",
                                   "of_this_version_sql<", "version_sql<",        "epoch_sql",
                                   "spendable_sql",        "api_key_current_sql", "api_key_columns"};
    return std::ranges::any_of(fragments, [&](const char* fragment) { return statement.contains(fragment); });
}

const Exemption* exemption_of(std::string_view literal) {
    const auto found = std::ranges::find_if(
        exemptions, [&](const Exemption& exemption) { return literal.starts_with(exemption.beginning); });
    return found == exemptions.end() ? nullptr : &*found;
}

std::string all_migrations() {
    std::string out;
    for (const std::string& path : files_below("migrations")) out += read_file(path) + "\n";
    return out;
}

TEST(Generations, EveryTableOfGrantsHasTheColumns) {
    const std::string migrations = all_migrations();
    for (const GrantTable& table : grants)
        for (const std::string_view column : table.columns)
            EXPECT_THAT(migrations, HasSubstr("ALTER TABLE " + std::string(table.name) + " ADD COLUMN " +
                                              std::string(column) + " BIGINT NOT NULL"));
}

TEST(Generations, ATableWithASecretIsOneOfGrantsOrIsKnownToBeNone) {
    const std::string migrations = all_migrations();
    static const boost::regex table(R"(CREATE TABLE (\w+) \(([^;]*)\);)");
    std::size_t seen = 0;
    for (auto match = boost::sregex_iterator(migrations.begin(), migrations.end(), table);
         match != boost::sregex_iterator(); ++match) {
        const std::string name = (*match)[1];
        if (!boost::regex_search((*match)[2].str(),
                                 boost::regex(R"(\b\w*(digest|jti|secret|token|hash|subject)\w*\b)")))
            continue;
        ++seen;
        const bool is_grant = std::ranges::find(grants, name, &GrantTable::name) != grants.end();
        EXPECT_TRUE(is_grant || no_grants.contains(name))
            << name << " keeps something that may let somebody in: does it carry its generation?";
    }
    EXPECT_GE(seen, grants.size());
}

TEST(Generations, EveryStatementOverGrantsComparesThemOrIsKnownNotToHaveTo) {
    std::set<std::string_view> used;
    std::size_t comparing = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        for (const Found& found : statements_over_grants(path, read_file(path))) {
            if (const Exemption* exemption = exemption_of(found.literal)) {
                used.insert(exemption->beginning);
                continue;
            }
            EXPECT_TRUE(compares(found.statement)) << found.path << ": " << found.statement;
            ++comparing;
        }
    }
    EXPECT_GE(comparing, 15U) << "the search finds nothing any more";
    for (const Exemption& exemption : exemptions)
        EXPECT_TRUE(used.contains(exemption.beginning)) << "no such statement any more: " << exemption.beginning;
}

TEST(Generations, TheSearchForStatementsItself) {
    const auto of = [](const std::string& source) { return statements_over_grants("x.cpp", source); };
    const auto lone =
        of("const auto rows = co_await db.query(\"SELECT user_id \"\n    \"FROM identities WHERE a = $1\", a);");
    ASSERT_EQ(lone.size(), 1U);
    EXPECT_THAT(lone[0].statement, HasSubstr("FROM identities WHERE"));
    EXPECT_FALSE(compares(lone[0].statement));
    EXPECT_EQ(exemption_of(lone[0].literal), nullptr);
    const auto good =
        of("t.add(x, sql<\"DELETE FROM backup_codes WHERE id = $1 AND \", of_this_epoch_sql<\"b\">>, a);");
    ASSERT_EQ(good.size(), 1U);
    EXPECT_TRUE(compares(good[0].statement));
    EXPECT_EQ(of("t.add(x, \"UPDATE sessions SET jti = $1\", a);").size(), 1U);
    EXPECT_EQ(of("select_list({.from = \"sessions WHERE user_id = $1\"});").size(), 1U);
    EXPECT_TRUE(of("// SELECT 1 FROM sessions\nint sessions;").empty());
    // The exemption for deleting all backup codes of a user must not cover spending one of them.
    EXPECT_EQ(exemption_of("DELETE FROM backup_codes WHERE user_id = $1 AND code_digest = $2\""), nullptr);
}

// A statement that raises the version must be followed by add_end(): kept identities move to the new version, and the
// owners of ended sessions are informed.
TEST(Generations, WhoeverRaisesASecurityVersionEndsWhatWasGranted) {
    std::size_t rises = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path)) continue;
        const std::string text = joined_literals(read_file(path));
        const std::string_view rise = "security_version = security_version + 1";
        for (auto at = text.find(rise); at != std::string::npos; at = text.find(rise, at + 1)) {
            ++rises;
            const auto end = text.find("} ", at);
            const auto next = text.find("add_end(", at);
            EXPECT_LT(next, end) << path << ": " << text.substr(at, 200);
        }
    }
    EXPECT_GE(rises, 6U);
}

TEST(Generations, NoSessionEndsUntold) {
    std::size_t endings = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path)) continue;
        const std::string text = joined_literals(read_file(path));
        for (auto at = text.find("UPDATE sessions SET revoked_at"); at != std::string::npos;
             at = text.find("UPDATE sessions SET revoked_at", at + 1)) {
            ++endings;
            const auto call = text.rfind("add", at);
            std::string head = text.substr(call, 24);
            std::erase(head, ' ');
            EXPECT_TRUE(head.starts_with("add_about(ended,")) << path << ": " << text.substr(call, 120);
            EXPECT_THAT(text.substr(at, text.find(';', at) - at),
                        AnyOf(HasSubstr("RETURNING user_id, id"), HasSubstr("RETURNING \", replaced_columns")));
        }
    }
    EXPECT_GE(endings, 3U);
}

}  // namespace
}  // namespace consentry::rules
