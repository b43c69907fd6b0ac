// Where two texts differ, line by line.
#pragma once

#include <string>
#include <string_view>

namespace consentry {

// In the unified format of `diff -u`, which `patch` reads; empty where the texts are the same. The script is the
// shortest there is, unless more than 2,000 lines differ: then what lies between the first difference and the last is
// shown as replaced, for nobody reads more of another text, and neither time nor memory may grow with its square.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name_before,
                         std::string_view name_after);

}  // namespace consentry
