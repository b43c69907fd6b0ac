// The first things a newcomer meets: scripts are executable, and pages can be found.
#include <filesystem>
#include <set>
#include <string>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "rules/source_tree.hpp"

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

}  // namespace
}  // namespace consentry::rules
