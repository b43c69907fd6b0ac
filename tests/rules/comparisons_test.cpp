// CRY-5: secrets are compared in constant time, by crypto::equal_constant_time or as crypto::Sha256, whose comparison
// uses it. BytesView has no comparison operator.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Comparisons that reveal nothing, and the reason.
struct ComparisonException {
    std::string_view path;
    std::string_view code;
    std::string_view why;
};
constexpr std::array comparison_exceptions{
    ComparisonException{"src/app/commands/policy_commands.cpp", "content->digest == digest_of(text.bytes)",
                        "of texts for everybody"},
    ComparisonException{"src/crypto/aead.cpp", "std::ranges::equal(key.id, ",
                        "a key's id lies open before what it sealed"},
    ComparisonException{"src/crypto/aead.cpp", "std::equal(id.begin(), id.end(), ",
                        "a key's id lies open before what it sealed"},
    ComparisonException{"src/features/login/identity_token.hpp", "nonce == sent", "one client has sent both"},
    ComparisonException{"src/features/login/login.cpp", "now->password_hash == owner.password_hash",
                        "the database has told both"},
    ComparisonException{"src/features/passwords/dto.hpp", "dto.new_password == dto.old_password",
                        "one client has sent both"},
    ComparisonException{"src/features/sessions/key_ring.cpp", "std::ranges::equal(a.verifying, b.verifying",
                        "public keys"},
};

bool is_exception(std::string_view path, std::string_view code) {
    return std::ranges::any_of(comparison_exceptions, [&](const ComparisonException& one) {
        return path == one.path && code.contains(one.code);
    });
}

// Returns whether an operand's last name, such as `digest` in `found->record.digest` and `digest()`, denotes a secret.
bool is_secret(const std::string& name) {
    static const boost::regex form(
        "(\\w+_)?(digest|mac|signature|secret|token|nonce|backup_code|password_hash)s?_?|(new_|old_)?passwords?_?");
    return boost::regex_match(name, form);
}

bool compares_a_secret(const std::string& code) {
    static const boost::regex early(R"((?:^|[^\w])(memcmp|strcmp|strncmp|equal|lexicographical_compare) ?\()");
    static const boost::regex comparison(R"((\w+)(?:\(\))? ?(?:==|!=) ?[*!]?((?:\w+(?:\.|->|::))*)(\w+|"))");
    const bool may_be_early = code.contains("cmp") || code.contains("equal") || code.contains("compare");
    if (may_be_early && boost::regex_search(code, early)) return true;
    if (!code.contains("==") && !code.contains("!=")) return false;
    for (boost::sregex_iterator found(code.begin(), code.end(), comparison), end; found != end; ++found) {
        const std::string right = (*found)[3];
        const bool is_constant = right == "\"" || right == "nullptr" || right == "npos" || right == "nullopt" ||
                                 right == "end" || (right.front() >= '0' && right.front() <= '9');
        if (!is_constant && (is_secret((*found)[1]) || is_secret(right))) return true;
    }
    return false;
}

TEST(CRY_5, NothingComparesSecretsInATimeThatTells) {
    std::vector<std::string_view> used;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        for (const std::string& line : lines_of(read_file(path))) {
            const std::string code(code_of(line));
            if (!compares_a_secret(code)) continue;
            EXPECT_TRUE(is_exception(path, code)) << path << ": " << code << "\n  crypto::equal_constant_time, please";
            for (const ComparisonException& one : comparison_exceptions)
                if (path == one.path && code.contains(one.code)) used.push_back(one.code);
        }
    }
    for (const ComparisonException& one : comparison_exceptions)
        EXPECT_NE(std::ranges::find(used, one.code), used.end()) << one.path << ": no exception any more: " << one.code;
}

TEST(CRY_5, WhatComparesASecretIsFound) {
    for (const char* code : {"if (stored.digest == sent) return;", "return token_digest() != other;",
                             "ok = sent == found->record.secret;", "memcmp(a, b, 32) == 0", "x = std::equal(a, b, c);",
                             "return *wanted.backup_code == code;", "if (tag != computed_mac) throw;"})
        EXPECT_TRUE(compares_a_secret(code)) << code;
    for (const char* code :
         {"if (digest.size() == 32) return;", "if (token == nullptr) return;", "at == std::string_view::npos",
          "CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0", "crypto::equal_constant_time(stored.digest, digest)",
          "if (kind == forgot_password) return;", "const bool same = a == b;", "secret = other;"})
        EXPECT_FALSE(compares_a_secret(code)) << code;
}

}  // namespace
}  // namespace consentry::rules
