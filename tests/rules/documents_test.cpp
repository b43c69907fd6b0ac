// What a newcomer meets first: scripts that run, pages that can be found.
#include <filesystem>
#include <string>
#include <string_view>

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

// A page is found through the README of a folder above it.
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

}  // namespace
}  // namespace consentry::rules
