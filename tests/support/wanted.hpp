// How often or how much a test does: what the environment variable says, or else the usual number. CONTRIBUTING.md
// lists the variables.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace consentry::tests {

inline std::int64_t wanted(const char* variable, std::int64_t usual) {
    const char* given = std::getenv(variable);
    return given != nullptr ? std::stoll(given) : usual;
}

}  // namespace consentry::tests
