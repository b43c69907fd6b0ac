#pragma once

#include <filesystem>

namespace consentry {

// The folder of a file. parent_path() of a name alone is empty, which no function of the file system accepts.
inline std::filesystem::path folder_of(const std::filesystem::path& file) {
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace consentry
