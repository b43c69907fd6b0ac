// Within a feature's folder, includes point downwards only. From the top:
//
//   endpoints            *endpoints.hpp, *endpoints.cpp: HTTP
//   services             the purpose of the folder, its guards, and DTOs built from its values
//   repositories         *repository.hpp, *repository.cpp: SQL
//   stored types, rules  what repositories themselves include
//
// A header and the source file of the same name form one unit. Units have no include cycles, so that lower units can be
// read and changed without the upper ones.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Maps each unit of a folder to the units of the same folder that it includes.
using Units = std::map<std::string, std::set<std::string>>;

std::string unit_of(std::string_view path) {
    const std::string name = file_name(path);
    return name.substr(0, name.rfind('.'));
}

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
}

}  // namespace
}  // namespace consentry::rules
