// Is a variable of the environment meant for us, and misspelt? (OPS-2)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/config.hpp"

namespace consentry {

// Levenshtein: characters inserted, removed or replaced.
std::size_t edit_distance(std::string_view a, std::string_view b);

// A problem where `name` is no setting and yet looks like one of ours: within edit distance 2 of a setting (letters of
// either case), or beginning as only our settings do. Variables of other programs are nobody's business here.
std::optional<ConfigProblem> misspelt_name(std::string_view name);

}  // namespace consentry
