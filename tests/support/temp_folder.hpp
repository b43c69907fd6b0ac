// An empty folder that is deleted with its content. In memory if the system offers that, because the tests sync
// thousands of times and do not depend on the disk.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace consentry::tests {

class TempFolder {
public:
    TempFolder() : TempFolder({std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {}
    // Uses the first parent that exists.
    TempFolder(std::initializer_list<std::filesystem::path> parents) {
        for (const auto& parent : parents) {
            std::string name = (parent / "consentry-XXXXXX").string();
            if (::mkdtemp(name.data()) == nullptr) continue;
            path_ = name;
            return;
        }
        throw std::runtime_error("no temporary folder");
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace consentry::tests
