// Line-by-line difference of two texts.
#pragma once

#include <string>
#include <string_view>

namespace consentry {

// Returns a unified diff as `diff -u` prints it and `patch` reads it; empty if the texts are equal. The edit script is
// minimal unless more than 2,000 lines differ. Beyond that, the whole range between the first and the last difference
// is shown as replaced, to avoid quadratic time and memory.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name_before,
                         std::string_view name_after);

}  // namespace consentry
