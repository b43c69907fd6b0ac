// Names as English text lists them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace consentry {

// "a", "a and b", "a, b and c".
inline std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return out;
}

}  // namespace consentry
