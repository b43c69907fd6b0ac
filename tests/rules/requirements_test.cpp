// docs/reference/requirements.md lists the requirements that tests are named after. A suite `TOK_1` or a test
// `Config.CRY_3_TheKeyIsAList` refers to one of them.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// `TOK_1`, `TOK-1` and the beginning of `TOK_1_NoSuchThing` all yield TOK-1; `UTF-8` and `SHA_2` belong to no family.
std::set<std::string> ids_in(std::string_view text, const std::set<std::string>& families) {
    std::set<std::string> out;
    for (std::size_t at = 3; at < text.size(); ++at) {
        if (text[at] != '-' && text[at] != '_') continue;
        if (at > 3 && is_letter_or_digit(text[at - 4])) continue;
        const std::string family(text.substr(at - 3, 3));
        if (!families.contains(family)) continue;
        const auto end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
        if (end == at + 1 || (end < text.size() && is_letter_or_digit(text[end]))) continue;
        out.insert(family + "-" + std::string(text.substr(at + 1, end - at - 1)));
    }
    return out;
}

// Returns the requirement with which the name of a suite or test begins.
std::optional<std::string> id_of(const std::string& name) {
    static const boost::regex form(R"(([A-Z]{3})_(\d+)(?:_\w+)?)");
    boost::smatch found;
    if (!boost::regex_match(name, found, form)) return std::nullopt;
    return found[1].str() + "-" + found[2].str();
}

std::vector<std::string> sources() {
    std::vector<std::string> out;
    for (const std::string folder : {"src", "tests"})
        for (std::string& path : files_below(folder))
            if (is_source(path) && file_name(path) != "requirements_test.cpp") out.push_back(std::move(path));
    return out;
}

// Returns the requirements that the tests in a file are named after.
std::set<std::string> tested_by(const std::string& text) {
    static const boost::regex declaration(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
    std::set<std::string> out;
    for (boost::sregex_iterator found(text.begin(), text.end(), declaration), end; found != end; ++found)
        for (const int part : {1, 2})
            if (const auto id = id_of((*found)[part].str())) out.insert(*id);
    return out;
}

// Parses "- **TOK-1** What holds.\n  Tests: `a_test.cpp`, `b_test.cpp`" and maps each requirement to the files it
// names.
std::map<std::string, std::set<std::string>> lines_of_catalog(const std::string& page) {
    static const boost::regex entry(R"(^- \*\*([A-Z]{3}-\d+)\*\* )");
    static const boost::regex file(R"(`(\w+\.cpp)`)");
    std::map<std::string, std::set<std::string>> out;
    std::set<std::string>* present = nullptr;
    for (const std::string& line : lines_of(page)) {
        boost::smatch found;
        if (boost::regex_search(line, found, entry)) {
            const auto [place, is_new] = out.emplace(found[1].str(), std::set<std::string>{});
            EXPECT_TRUE(is_new) << found[1] << " stands there twice";
            present = &place->second;
        } else if (line.empty()) {
            present = nullptr;
        }
        if (present == nullptr) continue;
        for (boost::sregex_iterator name(line.begin(), line.end(), file), end; name != end; ++name)
            present->insert((*name)[1].str());
    }
    return out;
}

struct Tree {
    std::map<std::string, std::set<std::string>> catalog =
        lines_of_catalog(read_file("docs/reference/requirements.md"));
    std::map<std::string, std::set<std::string>> named;   // requirement -> files that name it
    std::map<std::string, std::set<std::string>> tested;  // requirement -> names of files that test it

    Tree() {
        std::set<std::string> families;
        for (const auto& [id, files] : catalog) families.insert(id.substr(0, 3));
        for (const std::string& path : sources()) {
            const std::string text = read_file(path);
            for (const std::string& id : ids_in(text, families)) named[id].insert(path);
            for (const std::string& id : tested_by(text)) {
                named[id].insert(path);  // of any family
                tested[id].insert(file_name(path));
            }
        }
    }
};

const Tree& tree() {
    static const Tree once;
    return once;
}

TEST(Requirements, EveryNumberInTheSourcesIsInTheCatalog) {
    EXPECT_GT(tree().named.size(), 100U) << "nothing was read: is the working directory the project root?";
    for (const auto& [id, files] : tree().named)
        EXPECT_TRUE(tree().catalog.contains(id))
            << id << " in " << *files.begin() << ": give it a line in docs/reference/requirements.md";
}

TEST(Requirements, EveryLineOfTheCatalogHasATest) {
    EXPECT_GT(tree().catalog.size(), 100U);
    for (const auto& [id, files] : tree().catalog) {
        EXPECT_TRUE(tree().tested.contains(id)) << id << " has no test of its name";
        EXPECT_FALSE(files.empty()) << id << " names no file that tests it";
        for (const std::string& file : files)
            EXPECT_TRUE(tree().tested.contains(id) && tree().tested.at(id).contains(file))
                << id << " names " << file << ", which holds no test of it";
    }
}

TEST(Requirements, NumbersAreFoundWhereverTheyStand) {
    const std::set<std::string> families{"TOK", "WEB"};
    using Ids = std::set<std::string>;
    EXPECT_EQ(ids_in("TEST(TOK_1, NoSuchThing)", families), (Ids{"TOK-1"}));
    EXPECT_EQ(ids_in("// see TOK-10, (WEB-2).", families), (Ids{"TOK-10", "WEB-2"}));
    EXPECT_EQ(ids_in("TEST(Config, WEB_3_Something)", families), (Ids{"WEB-3"}));
    EXPECT_EQ(ids_in("WEB-4", families), (Ids{"WEB-4"}));
    EXPECT_TRUE(ids_in("UTF-8 SHA_2 COB_WEB_x WEB- TOK_1a xTOK_1", families).empty());
    EXPECT_EQ(tested_by("TEST(TOK_1, A)\nTEST_F(Faults, WEB_2_B)\nTEST_P(Table, AUT_1)\nTEST(Web, C)"),
              (Ids{"TOK-1", "WEB-2", "AUT-1"}));
    const auto lines = lines_of_catalog(
        "- **TOK-1** Holds\n  always.\n  Tests: `a_test.cpp`,\n  `b_test.cpp`\n\n`c.cpp`\n"
        "- **TOK-2** Too.\n");
    EXPECT_EQ(lines.at("TOK-1"), (Ids{"a_test.cpp", "b_test.cpp"}));
    EXPECT_TRUE(lines.at("TOK-2").empty());
}

}  // namespace
}  // namespace consentry::rules
