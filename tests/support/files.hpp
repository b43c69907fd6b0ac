// Reads files whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace consentry::tests {

// Returns the bytes of a file; empty if it cannot be read.
inline std::string text_in(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace consentry::tests
