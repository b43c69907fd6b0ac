// Which parts may include which. Most forbidden includes also fail to link, but not those of headers that need no
// linking, so this test checks the whole rule.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// A feature may use only the features before it, so features have no dependency cycles.
constexpr std::array<std::string_view, 22> features_in_order{
    "users",       "published_logs", "activity", "administration_log", "roles",
    "api_keys",    "feature_flags",  "mail",     "sessions",           "two_factor",
    "passwords",   "login",          "files",    "term_policies",      "consent_log",
    "acceptances", "consent_proof",  "accounts", "administration",     "forward_auth",
    "system",      "witness"};

// Returns the part of a path below src/: "base", "storage" (the ports), "storage/sqlite", "features/login", "main.cpp".
std::string part_of(std::string_view path) {
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return std::string(path);
    const std::string_view first = path.substr(0, slash);
    const auto second_slash = path.find('/', slash + 1);
    const bool has_parts = first == "storage" || first == "features";
    if (has_parts && second_slash != std::string_view::npos) return std::string(path.substr(0, second_slash));
    return std::string(first);
}

bool is_engine(std::string_view part) { return part.starts_with("storage/"); }
bool is_feature(std::string_view part) { return part.starts_with("features/"); }

std::size_t rank_of(std::string_view feature_part) {
    const auto name = feature_part.substr(std::string_view("features/").size());
    return static_cast<std::size_t>(std::ranges::find(features_in_order, name) - features_in_order.begin());
}

// Both paths are relative to src/.
bool may_include(std::string_view from_path, std::string_view to_path) {
    static const std::map<std::string, std::vector<std::string>, std::less<>> allowed{
        {"base", {}},          {"crypto", {"base"}}, {"tlog", {"crypto", "base"}}, {"net", {"base"}},
        {"storage", {"base"}}, {"http", {"base"}},   {"markup", {"base"}},         {"main.cpp", {"app"}},
    };
    const std::string from = part_of(from_path);
    const std::string to = part_of(to_path);
    if (to_path.starts_with("app/commands/")) return from == "main.cpp" || from_path.starts_with("app/commands/");
    if (from == to || from == "app") return true;
    if (from == "http" && to_path == "storage/cache.hpp") return true;  // the rate limiter counts in the cache
    if (is_engine(from)) return to == "storage" || to == "net" || to == "crypto" || to == "base";
    if (is_feature(from)) {
        if (is_feature(to)) return rank_of(to) < rank_of(from);
        return to == "http" || to == "markup" || to == "storage" || to == "tlog" || to == "crypto" || to == "net" ||
               to == "base";
    }
    if (from == "pages") return is_feature(to) || to == "http" || to == "markup" || to == "crypto" || to == "base";
    const auto rule = allowed.find(from);
    return rule != allowed.end() && std::ranges::find(rule->second, to) != rule->second.end();
}

std::vector<std::string> includes_of(const std::string& path) {
    std::vector<std::string> out;
    for (const std::string& line : lines_of(read_file(path))) {
        const std::string start = R"(#include ")";
        if (line.starts_with(start)) out.push_back(line.substr(start.size(), line.rfind('"') - start.size()));
    }
    return out;
}

TEST(IncludeDirections, EveryIncludeGoesDownTheHouse) {
    std::size_t includes = 0;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path)) continue;
        const std::string from = path.substr(std::string_view("src/").size());
        for (const std::string& to : includes_of(path)) {
            ++includes;
            if (is_unit_test(path)) {
                // A unit test may use any engine, but tests of the whole service belong in tests/.
                EXPECT_TRUE(part_of(to) != "app" || part_of(from) == "app") << path << " includes " << to;
                continue;
            }
            EXPECT_TRUE(std::filesystem::exists("src/" + to))
                << path << " includes " << to << ", which is no path below src/";
            EXPECT_TRUE(may_include(from, to)) << path << " may not include " << to;
        }
    }
    EXPECT_GT(includes, 0u) << "nothing was read: is the working directory the project root?";
}

// Files of a feature that make decisions or store data; they must not depend on HTTP.
bool decides_or_stores(std::string_view path) {
    constexpr std::array<std::string_view, 11> names{"repository",  "stored",    "policy",  "form",
                                                     "checks",      "abilities", "actor",   "consent",
                                                     "generations", "user",      "username"};
    const std::string name = file_name(path);
    const std::string_view stem = std::string_view(name).substr(0, name.rfind('.'));
    return path.starts_with("src/features/") &&
           (std::ranges::find(names, stem) != names.end() || stem.ends_with("_repository"));
}

// Returns the chain of includes through which a file reaches the HTTP kit, including files of other features.
std::vector<std::string> way_to_http(const std::string& path, std::set<std::string>& seen) {
    for (const std::string& to : includes_of(path)) {
        if (to.starts_with("http/")) return {path, to};
        if (!to.starts_with("features/") || !seen.insert(to).second) continue;
        std::vector<std::string> way = way_to_http("src/" + to, seen);
        if (way.empty()) continue;
        way.insert(way.begin(), path);
        return way;
    }
    return {};
}

TEST(IncludeDirections, WhatDecidesAndWhatStoresKnowsNothingOfTheWire) {
    std::size_t files = 0;
    for (const std::string& path : files_below("src/features")) {
        if (!is_source(path) || !decides_or_stores(path)) continue;
        ++files;
        std::set<std::string> seen;
        EXPECT_THAT(way_to_http(path, seen), ::testing::IsEmpty());
    }
    EXPECT_GE(files, 40U) << "the repositories are somewhere else";
    std::set<std::string> seen;
    EXPECT_THAT(way_to_http("src/features/roles/dto.hpp", seen), ::testing::Not(::testing::IsEmpty()));
}

TEST(IncludeDirections, EveryFolderHasItsPlace) {
    const std::array<std::string_view, 10> parts{"base",    "crypto", "tlog",     "net",   "markup",
                                                 "storage", "http",   "features", "pages", "app"};
    for (const auto& entry : std::filesystem::directory_iterator("src"))
        if (entry.is_directory())
            EXPECT_TRUE(std::ranges::find(parts, entry.path().filename().string()) != parts.end()) << entry.path();
    if (!std::filesystem::is_directory("src/features")) return;
    for (const auto& entry : std::filesystem::directory_iterator("src/features"))
        if (entry.is_directory())
            EXPECT_LT(rank_of("features/" + entry.path().filename().string()), features_in_order.size())
                << entry.path() << " has no place in the order of the features";
}

// ARCHITECTURE.md lists the features in this order, each on a line of its own.
TEST(IncludeDirections, TheSourceTreeInTheDocumentsIsTheOrderOfTheFeatures) {
    std::vector<std::string> listed;
    bool is_inside = false;
    for (const std::string& line : lines_of(read_file("ARCHITECTURE.md"))) {
        if (line.starts_with("src/")) is_inside = line.starts_with("src/features/");
        const bool is_feature_line = is_inside && line.starts_with("  ") && line.size() > 2 && line[2] != ' ';
        if (is_feature_line) listed.push_back(line.substr(2, line.find('/') - 2));
    }
    EXPECT_THAT(listed, ::testing::ElementsAreArray(features_in_order));
}

TEST(IncludeDirections, TheRuleItself) {
    struct Case {
        std::string_view from;
        std::string_view to;
        bool allowed;
    };
    const Case cases[] = {
        {"base/text.cpp", "base/text.hpp", true},
        {"base/text.cpp", "crypto/digest.hpp", false},
        {"crypto/jws.cpp", "base/bytes.hpp", true},
        {"crypto/jws.cpp", "http/request.hpp", false},
        {"crypto/jws.cpp", "tlog/note.hpp", false},
        {"tlog/note.cpp", "crypto/digest.hpp", true},
        {"tlog/note.cpp", "storage/database.hpp", false},
        {"features/login/login.cpp", "tlog/note.hpp", true},
        {"storage/s3/client.cpp", "tlog/note.hpp", false},
        {"net/smtp.cpp", "base/text.hpp", true},
        {"net/smtp.cpp", "storage/cache.hpp", false},
        {"storage/row.cpp", "base/clock.hpp", true},
        {"storage/row.cpp", "crypto/random.hpp", false},
        {"storage/row.cpp", "storage/sqlite/writer.hpp", false},
        {"storage/sqlite/writer.cpp", "storage/database.hpp", true},
        {"storage/sqlite/writer.cpp", "storage/postgres/pool.hpp", false},
        {"storage/s3/client.cpp", "net/https.hpp", true},
        {"http/router.cpp", "storage/cache.hpp", true},
        {"http/router.cpp", "storage/database.hpp", false},
        {"http/router.cpp", "features/login/login.hpp", false},
        {"features/login/login.cpp", "features/two_factor/two_factor.hpp", true},
        {"features/two_factor/two_factor.cpp", "features/login/login.hpp", false},
        {"features/login/login.cpp", "storage/database.hpp", true},
        {"features/login/login.cpp", "storage/memory/memory_cache.hpp", false},
        {"features/login/login.cpp", "app/app.hpp", false},
        {"features/login/login.cpp", "pages/site.hpp", false},
        {"http/pipeline.cpp", "pages/site.hpp", false},
        {"pages/login_pages.cpp", "features/login/login.hpp", true},
        {"pages/login_pages.cpp", "storage/database.hpp", false},
        {"pages/login_pages.cpp", "app/app.hpp", false},
        {"features/login/login.cpp", "features/unknown/unknown.hpp", false},
        {"app/app.cpp", "storage/sqlite/sqlite_database.hpp", true},
        {"app/app.cpp", "app/observation/logging.hpp", true},
        {"app/app.cpp", "app/commands/commands.hpp", false},
        {"app/commands/commands.cpp", "app/app.hpp", true},
        {"app/commands/table/service_table.cpp", "app/commands/serve_command.hpp", true},
        {"main.cpp", "app/commands/commands.hpp", true},
        {"main.cpp", "features/login/login.hpp", false},
    };
    for (const Case& c : cases) EXPECT_EQ(may_include(c.from, c.to), c.allowed) << c.from << " -> " << c.to;
}

}  // namespace
}  // namespace consentry::rules
