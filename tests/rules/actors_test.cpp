// A change that needs authority proves its actor inside the transaction. Statements that write administrators' data
// belong in functions that take a PrivilegedTransaction, and only guards and the operator's commands can create its
// Actor.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Tables whose rows change only with someone's authority. Accounts and sessions also change without it and are not
// listed.
constexpr std::array<std::string_view, 5> looked_after{"roles", "api_keys", "feature_flags", "term_policies",
                                                       "term_policy_contents"};

// Functions that write these tables without an actor, and the reason.
struct ActorException {
    std::string_view function;
    std::string_view why;
};
constexpr std::array actor_exceptions{
    ActorException{"TermPolicyRepository::renew_claim(",
                   "holds on to a claim that an actor made, and changes no document"},
    ActorException{"RoleRepository::add_hold(", "keeps a role from being deleted, and changes none"},
};

bool writes_there(std::string_view code) {
    return std::ranges::any_of(looked_after, [&](std::string_view table) {
        return std::ranges::any_of(
            std::array<std::string_view, 3>{"INSERT INTO ", "UPDATE ", "DELETE FROM "},
            [&](std::string_view verb) { return code.contains(std::string(verb) + std::string(table) + " "); });
    });
}

// Returns the head of the function that contains `at`: from the last line before it that begins in the first column, to
// the function's body.
std::string_view head_of(std::string_view text, std::size_t at) {
    for (;;) {
        const std::size_t end_before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
        const std::size_t begin = end_before == std::string_view::npos ? 0 : end_before + 1;
        if (std::isalpha(static_cast<unsigned char>(text[begin])) != 0)
            return text.substr(begin, text.find('{', begin) - begin);
        if (begin == 0) return {};
        at = begin - 1;
    }
}

std::vector<std::string> unproven(std::string_view text) {
    std::vector<std::string> out;
    std::size_t at = 0;
    for (const std::string& line : lines_of(text)) {
        if (writes_there(code_of(line))) {
            const std::string head(head_of(text, at));
            const bool is_exception = std::ranges::any_of(
                actor_exceptions, [&](const ActorException& one) { return head.contains(one.function); });
            if (!head.contains("PrivilegedTransaction& ") && !is_exception) out.push_back(head);
        }
        at += line.size() + 1;
    }
    return out;
}

TEST(AUT_4, WhatAdministratorsLookAfterIsWrittenByAProvenActor) {
    std::size_t files = 0;
    for (const std::string& path : files_below("src/features")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        const std::string text = read_file(path);
        files += writes_there(text) ? 1 : 0;
        for (const std::string& head : unproven(text))
            ADD_FAILURE() << path << ": this function takes a PrivilegedTransaction, or stands among the exceptions:\n"
                          << head;
    }
    EXPECT_GE(files, 5U) << "the repositories are somewhere else";
}

TEST(AUT_4, TheRuleFindsAPlainTransaction) {
    EXPECT_EQ(
        unproven("void A::add(storage::Transaction& t) {\n    t.add(Expect::one, \"UPDATE roles SET x\");\n}\n").size(),
        1U);
    EXPECT_TRUE(
        unproven("void A::add(PrivilegedTransaction& t) {\n    t.add(Expect::one, \"UPDATE roles SET x\");\n}\n")
            .empty());
}

// Beside the commands, only their import, which names the actor that it defaults to.
constexpr std::string_view import_of_accounts = "src/features/administration/import/user_import.hpp";

TEST(AUT_4, OnlyGuardsAndCommandsMakeActors) {
    const auto makes_one = [](const std::string& path) { return read_file(path).contains("operator_at_the_machine"); };
    std::size_t commands = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path) || path.starts_with("src/features/users/")) continue;
        if (path.starts_with("src/app/commands/"))
            commands += makes_one(path) ? 1 : 0;
        else if (path != import_of_accounts)
            EXPECT_FALSE(makes_one(path)) << path << ": only the operator's commands in src/app/commands make this one";
    }
    EXPECT_GT(commands, 0U) << "the commands are somewhere else, or call it by another name";
    EXPECT_TRUE(makes_one(std::string(import_of_accounts))) << "named without need";
}

}  // namespace
}  // namespace consentry::rules
