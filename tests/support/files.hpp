// Reads files whole.
#pragma once

#include <filesystem>
#include <string>

#include "base/whole_file.hpp"

namespace consentry::tests {

// Returns the bytes of a file; empty if it cannot be read.
inline std::string text_in(const std::filesystem::path& file) { return read_whole_file(file).value_or(""); }

}  // namespace consentry::tests
