// Within a feature's folder, includes point downwards only. From the top:
//
//   endpoints            *endpoints.hpp, *endpoints.cpp: HTTP
//   services             the purpose of the folder, its guards, and DTOs built from its values
//   repositories         *repository.hpp, *repository.cpp: SQL
//   stored types, rules  what repositories themselves include
//
// A header and the source file of the same name form one unit. In all of src, units do not include each other in a
// circle, so that lower units can be read and changed without the upper ones.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Maps each unit of a folder to the units of the same folder that it includes.
using Units = std::map<std::string, std::set<std::string>>;

std::string without_ending(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

std::string unit_of(std::string_view path) { return without_ending(file_name(path)); }

void add_includes(Units& units, const std::string& path, const std::string& text) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    const std::string unit = unit_of(path);
    for (const std::string& included : quoted_after(R"(#include ")", text)) {
        const std::string included_path = "src/" + included;
        if (included_path.substr(0, included_path.rfind('/') + 1) != folder) continue;
        if (unit_of(included) != unit) units[unit].insert(unit_of(included));
    }
}

void collect(const Units& units, const std::string& from, std::set<std::string>& reached) {
    const auto includes = units.find(from);
    if (includes == units.end()) return;
    for (const std::string& to : includes->second)
        if (reached.insert(to).second) collect(units, to, reached);
}

// Returns all units that a unit includes directly or indirectly.
std::set<std::string> reached_from(const Units& units, const std::string& unit) {
    std::set<std::string> out;
    collect(units, unit, out);
    return out;
}

// Returns the groups of units that lead to each other.
std::set<std::set<std::string>> circles_of(const Units& units) {
    std::map<std::string, std::set<std::string>> reached;
    for (const auto& [unit, includes] : units) reached[unit] = reached_from(units, unit);
    std::set<std::set<std::string>> out;
    for (const auto& [unit, others] : reached) {
        if (!others.contains(unit)) continue;
        std::set<std::string> circle;
        for (const std::string& other : others)
            if (const auto back = reached.find(other); back != reached.end() && back->second.contains(unit))
                circle.insert(other);
        out.insert(circle);
    }
    return out;
}

// Circles that stay.
const std::set<std::set<std::string>> known_circles{
    // One machine in three files: the server opens connections, which live on what their thread lends them, and the
    // thread reads the options of the server.
    {"http/connection", "http/io_thread", "http/server"},
    // What the source files of the keys share: a type that is a member of the class of keys.
    {"crypto/key_parts", "crypto/signature_keys"},
};

bool is_endpoints(std::string_view unit) { return unit.ends_with("endpoints"); }
bool is_repository(std::string_view unit) { return unit.ends_with("repository"); }

std::vector<std::string> arrows_up(const Units& units) {
    std::vector<std::string> out;
    for (const auto& [unit, includes] : units) {
        if (reached_from(units, unit).contains(unit)) out.push_back(unit + " leads back to itself");
        for (const std::string& to : includes) {
            if (is_endpoints(to) && !is_endpoints(unit)) out.push_back(unit + " -> " + to);
            if (!is_repository(unit) || is_repository(to)) continue;
            for (const std::string& further : reached_from(units, to))
                if (is_repository(further)) out.push_back(unit + " -> " + to + " -> " + further);
        }
    }
    return out;
}

TEST(FolderOrder, NoArrowGoesUpInsideOfAFeature) {
    std::size_t repositories = 0;
    std::map<std::string, Units> folders;
    for (const std::string& path : files_below("src/features"))
        if (is_source(path) && !is_unit_test(path))
            add_includes(folders[path.substr(0, path.rfind('/'))], path, read_file(path));
    for (const auto& [folder, units] : folders) {
        for (const std::string& arrow : arrows_up(units)) ADD_FAILURE() << folder << ": " << arrow;
        for (const auto& [unit, includes] : units)
            for (const std::string& to : includes) repositories += is_repository(to) ? 1 : 0;
    }
    EXPECT_GT(repositories, 10U) << "nothing was read: is the working directory the project root?";
}

TEST(FolderOrder, NoUnitsIncludeEachOtherInACircle) {
    Units units;
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        const std::string unit = without_ending(std::string_view(path).substr(std::string_view("src/").size()));
        for (const std::string& included : quoted_after(R"(#include ")", read_file(path)))
            if (without_ending(included) != unit) units[unit].insert(without_ending(included));
    }
    EXPECT_GT(units.size(), 300U) << "nothing was read: is the working directory the project root?";
    EXPECT_EQ(circles_of(units), known_circles);
}

TEST(FolderOrder, TheRuleItself) {
    const Units good{{"endpoints", {"dto", "keys"}},
                     {"dto", {"keys"}},
                     {"keys", {"repository", "rules"}},
                     {"repository", {"rules"}}};
    EXPECT_TRUE(arrows_up(good).empty());
    EXPECT_EQ(arrows_up({{"keys", {"endpoints"}}}), (std::vector<std::string>{"keys -> endpoints"}));
    EXPECT_TRUE(arrows_up({{"social_endpoints", {"endpoints"}}}).empty());
    EXPECT_EQ(arrows_up({{"keys", {"repository"}}, {"repository", {"keys"}}}).size(), 3U) << "a circle, and the arrow";
    EXPECT_EQ(arrows_up({{"repository", {"keys"}}, {"keys", {"user_repository"}}}),
              (std::vector<std::string>{"repository -> keys -> user_repository"}));
    Units read;
    add_includes(read, "src/features/roles/roles.cpp",
                 "#include \"features/roles/roles.hpp\"\n#include \"features/roles/repository.hpp\"\n"
                 "#include \"features/users/user.hpp\"\n");
    EXPECT_EQ(read, (Units{{"roles", {"repository"}}}));
    EXPECT_EQ(circles_of({{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {"b"}}, {"d", {"e"}}, {"e", {"f"}}, {"f", {"d"}}}),
              (std::set<std::set<std::string>>{{"b", "c"}, {"d", "e", "f"}}));
    EXPECT_TRUE(circles_of({{"a", {"b", "c"}}, {"b", {"c"}}}).empty());
}

}  // namespace
}  // namespace consentry::rules
