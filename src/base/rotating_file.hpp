// An append-only file of lines with numbered old files: name, name.1 (the newest of them), name.2 ...
//
// Several processes may append to the same file: they write whole lines (O_APPEND), and a process that finds the file
// renamed or removed continues in the new one. Not thread-safe.
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
        mode_t folder_mode = 0750;  // of the folder, if it has to be created
        std::size_t bytes_max = std::size_t{10} << 20;
        unsigned old_files_max = 10;
        bool daily = false;  // starts a new file every day (UTC)
        // Waits between two checks of an unterminated last line. Called at most a few times, when a file is opened.
        std::function<void()> pause = [] { std::this_thread::sleep_for(milliseconds{1}); };
    };
    explicit RotatingFile(Options options) : options_(std::move(options)) {}
    ~RotatingFile();
    RotatingFile(const RotatingFile&) = delete;
    RotatingFile& operator=(const RotatingFile&) = delete;

    // Takes whole lines including their line ends. Returns the number of bytes written. Creates the file and its folder
    // if they are missing. Blocks; may pause.
    std::size_t write(std::string_view lines, TimePoint now) noexcept;

    // Describes the last error.
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
    bool torn_ = false;  // the last line in the file is not terminated
    std::chrono::sys_days day_{};
    int error_ = 0;  // errno
};

}  // namespace consentry
