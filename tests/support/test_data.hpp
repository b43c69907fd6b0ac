// Published test vectors, which the source tree does not contain. CONTRIBUTING.md says where they come from.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace consentry::tests {

inline std::filesystem::path test_data(std::string_view name) {
    const char* folder = std::getenv("CONSENTRY_TEST_DATA");
    return std::filesystem::path(folder == nullptr ? "../shared/data" : folder) / name;
}

// Why a test that needs them is skipped.
inline constexpr std::string_view no_test_data =
    "the published vectors are not here: set CONSENTRY_TEST_DATA (CONTRIBUTING.md)";

}  // namespace consentry::tests
