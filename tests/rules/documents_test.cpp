// The first things a newcomer meets: scripts are executable, and pages can be found.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

namespace fs = std::filesystem;

TEST(Scripts, AreExecutable) {
    std::size_t scripts = 0;
    for (const std::string& path : project_files()) {
        const bool is_script =
            path.starts_with("script/") || path.starts_with(".ci/") || read_file(path).starts_with("#!");
        if (!is_script) continue;
        ++scripts;
        const auto owner = fs::status(path).permissions() & fs::perms::owner_exec;
        EXPECT_NE(owner, fs::perms::none) << path << ": chmod +x";
    }
    EXPECT_GT(scripts, 0u);
}

// Returns whether the README of a folder above the page links to it.
bool is_linked(const fs::path& page) {
    for (fs::path folder = page.parent_path();; folder = folder.parent_path()) {
        const fs::path readme = folder / "README.md";
        if (readme != page && fs::exists(readme)) {
            const std::string from_there =
                folder.empty() ? page.generic_string() : page.lexically_relative(folder).generic_string();
            const std::string text = read_file(readme.generic_string());
            for (const std::string start : {"](", "](./"})
                for (const auto* end : {")", "#", " "})
                    if (text.contains(start + from_there + end)) return true;
        }
        if (folder.empty()) return false;
    }
}

TEST(Guides, EveryPageIsLinkedFromAReadme) {
    for (const std::string& path : project_files())
        if (path.starts_with("docs/") && path.ends_with(".md"))
            EXPECT_TRUE(is_linked(path)) << path << " is linked from no README.md above it";
}

// The segments of a path without the prefix and the version of the API. A path that ends with '/' ends with an empty
// one.
std::vector<std::string> segments_of(std::string_view path) {
    for (const std::string_view start : {"/", "api/", "v1/"})
        if (path.starts_with(start)) path.remove_prefix(start.size());
    std::vector<std::string> out{""};
    for (const char c : path)
        if (c == '/')
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

// Whether a path of a guide is that of an operation, or leads to it: placeholders stand for any segment.
bool leads_to(const std::vector<std::string>& named, const std::vector<std::string>& operation) {
    const bool is_prefix = named.back().empty();
    const std::size_t size = is_prefix ? named.size() - 1 : named.size();
    if (is_prefix ? operation.size() <= size : operation.size() != size) return false;
    for (std::size_t i = 0; i < size; ++i)
        if (named[i] != operation[i] && !operation[i].starts_with('{')) return false;
    return true;
}

// The API document holds one path per operation, from which the types of the TypeScript client are generated. Guides
// use the same ones, except in an excerpt of the document, which quotes aliases.
TEST(Guides, EveryRequestUsesTheFirstPathOfItsOperation) {
    struct Operation {
        std::string method;
        std::vector<std::string> path;
    };
    std::vector<Operation> operations;
    const std::string generated = read_file("clients/typescript/src/generated/operations.ts");
    const boost::regex declaration(R"(\['([A-Z]+)', '([^']+)')");
    for (boost::sregex_iterator found(generated.begin(), generated.end(), declaration), end; found != end; ++found)
        operations.push_back({(*found)[1], segments_of((*found)[2].str())});
    EXPECT_GT(operations.size(), 80U);

    const boost::regex mention(
        R"re((?<!")\b(GET|POST|PUT|PATCH|DELETE) (?:http://localhost:3000)?(/?[A-Za-z][\w.:${}-]*/[\w.:$/{}-]*))re");
    std::size_t named = 0;
    for (const std::string& page : project_files()) {
        if (!page.starts_with("docs/guides/")) continue;
        const std::string text = read_file(page);
        for (boost::sregex_iterator found(text.begin(), text.end(), mention), end; found != end; ++found, ++named) {
            const auto path = segments_of((*found)[2].str());
            const auto is_it = [&](const Operation& one) {
                return one.method == (*found)[1] && leads_to(path, one.path);
            };
            EXPECT_TRUE(std::ranges::any_of(operations, is_it)) << page << ": " << (*found)[0];
        }
    }
    EXPECT_GT(named, 60U);
}

// The folder of documents that the Debian package installs has the layout of the source tree. Operators have the
// package alone.
TEST(Guides, EveryFileThatAPageOfTheDebianPackageLinksToIsInIt) {
    const std::string documents = "usr/share/doc/consentry/";
    std::vector<fs::path> installed;
    for (const char* list : {"packaging/debian/consentry.docs", "packaging/debian/consentry.install"})
        for (const std::string& line : lines_of(read_file(list)))
            if (!line.empty()) installed.emplace_back(line.substr(0, line.find(' ')));
    for (const std::string& line : lines_of(read_file("packaging/debian/consentry.links")))
        if (const auto at = line.find(documents); at != std::string::npos)
            installed.emplace_back(line.substr(at + documents.size()));
    const auto is_installed = [&](const fs::path& file) {
        return std::ranges::any_of(
            installed, [&](const fs::path& place) { return std::ranges::mismatch(place, file).in1 == place.end(); });
    };
    const boost::regex link(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
    std::size_t links = 0;
    for (const std::string& page : project_files()) {
        if (!is_installed(page) || !page.ends_with(".md")) continue;
        const std::string text = read_file(page);
        for (boost::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found, ++links) {
            const fs::path file = (fs::path(page).parent_path() / (*found)[1].str()).lexically_normal();
            EXPECT_TRUE(fs::exists(file)) << page << ": " << file;
            EXPECT_TRUE(is_installed(file)) << page << ": " << file;
        }
    }
    EXPECT_GT(links, 100U);
}

// Every user of the machine can read the arguments of a process.
TEST(Guides, NoPasswordIsAnArgument) {
    const boost::regex argument(
        R"((?:\b(?:psql|pg_dump|pg_dumpall|pg_restore|pgbench|createdb|dropdb|redis-cli|valkey-cli) [^\n]*(?:_URL\b|://))"
        R"(|\b(?:consentry|curl) [^\n]*://[^\s/@:]+:[^\s/@]+@))");
    std::size_t pages = 0;
    for (const std::string& path : project_files()) {
        if (!path.starts_with("docs/") && path != "README.md") continue;
        if (path.ends_with(".png")) continue;
        ++pages;
        const std::string text = read_file(path);
        for (boost::sregex_iterator found(text.begin(), text.end(), argument), end; found != end; ++found)
            ADD_FAILURE() << path << ": " << found->str();
    }
    EXPECT_GT(pages, 50U);
}

// With the usual umask, every user of the machine could read keys, password hashes and copies of the database.
TEST(Guides, EverySecretThatACommandWritesIsForItsOwnerOnly) {
    const boost::regex writes(R"(\bpg_dump(?:all)? .*(?:>|--file)|\.dump .*>|\bkeys generate >|\bcat [\w. ]*\.key >|)"
                              R"(\bopenssl rand .*> |^ +psql --csv |\bauth:export |\bkc\.sh export )");
    std::size_t commands = 0;
    for (const std::string& path : project_files()) {
        if ((!path.starts_with("docs/") && !path.ends_with("README.md")) || path.ends_with(".png")) continue;
        bool is_private = false;  // since the beginning of the block
        for (const std::string& line : lines_of(read_file(path))) {
            if (line.find_first_not_of(" #") == std::string::npos) is_private = false;
            is_private |= line.contains("umask 077");
            if (!boost::regex_search(line, writes)) continue;
            ++commands;
            EXPECT_TRUE(is_private) << path << ": " << line << ": umask 077";
        }
    }
    EXPECT_GE(commands, 9U);
}

// docs/reference/shared-rules.md names tests as `SUITE.Name`; each of them must exist.
TEST(SharedRules, EveryTestThatIsNamedExists) {
    std::set<std::string> declared;
    const boost::regex declaration(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
    for (const std::string& path : project_files()) {
        if (!is_unit_test(path)) continue;
        const std::string text = read_file(path);
        for (boost::sregex_iterator found(text.begin(), text.end(), declaration), end; found != end; ++found)
            declared.insert((*found)[1].str() + "." + (*found)[2].str());
    }
    const std::string page = read_file("docs/reference/shared-rules.md");
    const boost::regex mention(R"(`(\w+\.\w+)`)");
    std::size_t named = 0;
    for (boost::sregex_iterator found(page.begin(), page.end(), mention), end; found != end; ++found, ++named)
        EXPECT_TRUE(declared.contains((*found)[1].str())) << (*found)[1];
    EXPECT_GT(named, 40U);
}

// Returns the texts of the test program's sources; empty if `folder` declares no such program.
std::vector<std::string> sources_of(const std::string& program, const fs::path& folder) {
    const fs::path list = folder / "CMakeLists.txt";
    if (!fs::exists(list)) return {};
    const std::string text = read_file(list.generic_string());
    boost::smatch block;
    if (!boost::regex_search(text, block, boost::regex(R"(test\()" + program + R"(\s([^)]*)\))"))) return {};
    const std::string declared = block[1];
    std::vector<std::string> out;
    const boost::regex source(R"([\w./]+_test\.cpp)");
    for (boost::sregex_iterator found(declared.begin(), declared.end(), source), end; found != end; ++found)
        out.push_back(read_file((folder / found->str()).generic_string()));
    return out;
}

// A program that has no such suite runs nothing, and reports success.
TEST(Contributing, EveryProgramThatIsNamedHasItsSuite) {
    const std::string page = read_file("CONTRIBUTING.md");
    const boost::regex mention(R"(build/dev/([\w/]+)/(consentry_\w+_tests)\s+--gtest_filter=(\w+)\.)");
    std::size_t named = 0;
    for (boost::sregex_iterator found(page.begin(), page.end(), mention), end; found != end; ++found, ++named) {
        const std::string suite = (*found)[3];
        const auto sources = sources_of((*found)[2], (*found)[1].str());
        EXPECT_TRUE(std::ranges::any_of(sources, [&](const std::string& source) {
            return source.contains("(" + suite + ", ");
        })) << found->str();
    }
    EXPECT_GE(named, 2U);
}

}  // namespace
}  // namespace consentry::rules
