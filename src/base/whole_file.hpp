// Reads small files whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace consentry {

// Returns nullopt if the file cannot be read, which is the case for a folder, too.
std::optional<std::string> read_whole_file(const std::filesystem::path& file);
// Stops after `bytes_max` + 1 bytes: enough to detect a file that is too large, whatever its size.
std::optional<std::string> read_whole_file(const std::filesystem::path& file, std::size_t bytes_max);

}  // namespace consentry
