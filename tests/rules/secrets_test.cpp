// The source contains no secrets and nothing that belongs to a single person or machine.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

namespace fs = std::filesystem;

bool is_base64(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
           c == '-' || c == '_' || c == '=';
}

std::size_t base64_run(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_base64) - text.begin());
}

// Finds a PEM block with content, also in a string literal with escaped line ends. The label alone, as in an error
// message, is no key.
bool holds_private_key_block(std::string_view text) {
    constexpr std::string_view label = "PRIVATE KEY-----";
    constexpr std::size_t shortest_line = 32;
    for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
        std::string_view rest = text.substr(at + label.size());
        while (!rest.empty() && (rest.starts_with("\\n") || rest.starts_with("\\r") ||
                                 std::string_view(" \t\r\n\"'+").contains(rest.front())))
            rest.remove_prefix(rest.front() == '\\' ? 2 : 1);
        if (base64_run(rest) >= shortest_line || rest.starts_with("Proc-Type")) return true;
    }
    return false;
}

// Finds the private member of a JSON Web Key (RFC 7518 sections 6.2.2 and 6.3.2; RFC 8037 section 2).
bool holds_private_jwk(std::string_view text) {
    constexpr std::size_t shortest_secret = 43;                     // 32 bytes in base64url
    for (const std::string_view member : {R"("d")", R"(\"d\")"}) {  // the second one inside a string literal
        for (auto at = text.find(member); at != std::string_view::npos; at = text.find(member, at + 1)) {
            const std::string_view rest = text.substr(at + member.size());
            const auto from = rest.find_first_not_of(": \t\r\n\"\\");
            if (from != std::string_view::npos && base64_run(rest.substr(from)) >= shortest_secret) return true;
        }
    }
    return false;
}

// Returns whether `path` occurs in `text` as the beginning of a path.
bool names_path(std::string_view text, std::string_view path) {
    const auto is_path = [](char c) { return is_base64(c) || c == '.' || c == '}' || c == ')' || c == '~'; };
    for (auto at = text.find(path); at != std::string_view::npos; at = text.find(path, at + 1))
        if (at == 0 || !is_path(text[at - 1])) return true;
    return false;
}

// Returns path prefixes that exist on one machine only: home directories and the location of this checkout.
std::vector<std::string> machine_paths() {
    std::vector<std::string> out;
    for (const auto* top : {"home", "root", "Users"}) out.push_back("/" + std::string(top) + "/");
    const fs::path here = fs::current_path();
    const auto depth = std::distance(here.begin(), here.end());
    if (depth > 2) out.push_back(here.string());  // "/src" alone occurs in too many legitimate paths
    const std::array<std::string_view, 12> usual{"bin",  "dev", "etc", "lib", "mnt", "opt",
                                                 "proc", "run", "srv", "tmp", "usr", "var"};
    if (depth > 2) {
        const std::string top = std::next(here.begin())->string();
        if (std::ranges::find(usual, top) == usual.end() && !fs::exists(top)) out.push_back("/" + top + "/");
    }
    return out;
}

TEST(Secrets, NoFileHoldsAPrivateKey) {
    const auto files = project_files();
    ASSERT_FALSE(files.empty());
    for (const std::string& path : files) {
        const std::string text = read_file(path);
        EXPECT_FALSE(holds_private_key_block(text)) << path;
        // Published test vectors contain private keys; they belong in unit tests.
        if (!is_unit_test(path)) EXPECT_FALSE(holds_private_jwk(text)) << path;
        for (const auto* ending : {".pem", ".key", ".p12", ".pfx", ".db", ".sqlite"})
            EXPECT_FALSE(path.ends_with(ending)) << path << " is made at run time, it does not belong in the tree";
        EXPECT_NE(file_name(path), ".env") << path;
    }
}

TEST(Secrets, NoFileNamesOneMachine) {
    const auto paths = machine_paths();
    for (const std::string& file : project_files()) {
        const std::string text = read_file(file);
        for (const std::string& path : paths) EXPECT_FALSE(names_path(text, path)) << file << " names " << path;
    }
}

TEST(Secrets, TheSearchItself) {
    const std::string label = "-----BEGIN EC PRIVATE KEY-----";
    const std::string content(64, 'A');
    EXPECT_TRUE(holds_private_key_block(label + "\n" + content));
    EXPECT_TRUE(holds_private_key_block(label + "\\n\"\n    \"" + content));
    EXPECT_FALSE(holds_private_key_block("expected " + label + " at the beginning"));
    EXPECT_TRUE(holds_private_jwk(R"({"kty":"EC", "d": ")" + std::string(43, 'x') + R"("})"));
    EXPECT_TRUE(holds_private_jwk(R"("{\"d\":\")" + std::string(43, 'x')));
    EXPECT_FALSE(holds_private_jwk(R"({"c":{"d":1}})"));
    const std::string home = std::string("/home") + "/";  // concatenated, because the tests search this file as well
    EXPECT_TRUE(names_path("cd " + home + "somebody", home));
    EXPECT_TRUE(names_path("\"" + home + "somebody\"", home));
    EXPECT_FALSE(names_path("${PROJECT}/home/page", home));
    EXPECT_FALSE(names_path("assets/home/page", home));
}

}  // namespace
}  // namespace consentry::rules
