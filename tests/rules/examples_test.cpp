// A person tries the examples on the machine of the service, perhaps from one file of settings. Names that begin with
// CONSENTRY_ are taken for misspelled settings, so the service must know those of the examples.
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Every name that begins with CONSENTRY_.
std::set<std::string> names_in(std::string_view text) {
    constexpr std::string_view prefix = "CONSENTRY_";
    std::set<std::string> out;
    for (std::size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
        std::size_t end = at;
        while (end < text.size() && is_word(text[end])) ++end;
        out.emplace(text.substr(at, end - at));
    }
    return out;
}

TEST(Examples, TheirVariablesDoNotStopTheService) {
    const std::string source = read_file("src/app/config/names.cpp");
    const std::size_t begin = source.find("no_settings{");
    ASSERT_NE(begin, source.npos);
    const std::set<std::string> known = names_in(source.substr(begin, source.find('}', begin) - begin));
    std::set<std::string> used;
    for (const std::string& path : project_files())
        if (path.starts_with("clients/typescript/examples/")) used.merge(names_in(read_file(path)));
    EXPECT_TRUE(used.contains("CONSENTRY_URL"));
    for (const std::string& name : used) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace consentry::rules
