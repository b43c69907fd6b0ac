// A file that lines are appended to, with numbered old files: name, name.1 (the newest of them), name.2 ...
//
// Several processes may append to one: lines are whole (O_APPEND), and whoever finds the file renamed or gone goes on
// in the new one. Not thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include <sys/stat.h>
#include <sys/types.h>

#include "base/clock.hpp"

namespace consentry {

class RotatingFile {
public:
    struct Options {
        std::filesystem::path path;
        mode_t file_mode = 0640;
        mode_t folder_mode = 0750;  // of the folder, where it has to be made
        std::size_t bytes_max = std::size_t{10} << 20;
        unsigned old_files_max = 10;
        bool daily = false;  // a new file with each day, UTC
        // Between two looks at a last line that has no end. Called a few times at most, when a file is opened.
        std::function<void()> pause = [] { std::this_thread::sleep_for(milliseconds{1}); };
    };
    explicit RotatingFile(Options options) : options_(std::move(options)) {}
    ~RotatingFile();
    RotatingFile(const RotatingFile&) = delete;
    RotatingFile& operator=(const RotatingFile&) = delete;

    // Whole lines with their ends. Returns how many bytes are written. The file and its folder are made where they are
    // missing. Blocks; may pause.
    std::size_t write(std::string_view lines, TimePoint now) noexcept;

    // What went wrong last.
    std::string trouble() const;

private:
    bool open(TimePoint now);
    bool is_torn() const;
    bool is_same_file() const;
    bool is_full(const struct stat& file, std::size_t more, TimePoint now) const;
    void rotate();
    void close();

    const Options options_;
    int file_ = -1;
    bool torn_ = false;  // the last line in the file has no end
    std::chrono::sys_days day_{};
    int error_ = 0;  // errno
};

}  // namespace consentry
