// What functions of POSIX take for the arguments and the environment of a program.
#pragma once

#include <string>
#include <vector>

namespace consentry::tests {

// Returns pointers to the texts, and a null pointer at the end. Valid as long as the texts.
inline std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

}  // namespace consentry::tests
