#include "base/rotating_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/new_file.hpp"

namespace consentry {
namespace {

std::chrono::sys_days day_of(TimePoint time) { return std::chrono::floor<std::chrono::days>(time); }

std::string numbered(const std::filesystem::path& path, unsigned number) {
    return path.string() + '.' + std::to_string(number);
}

}  // namespace

RotatingFile::~RotatingFile() { close(); }

void RotatingFile::close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
}

bool RotatingFile::open(TimePoint now) {
    close();
    const std::filesystem::path folder = options_.path.parent_path();
    try {
        make_folder(folder, options_.folder_mode);
    } catch (const std::system_error&) {
        // Then the file cannot be opened, which says enough.
    }
    file_ = ::open(options_.path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, options_.file_mode);
    if (file_ < 0) {
        error_ = errno;
        return false;
    }
    // A line that another process is writing at this moment also looks torn. If it stays so, it was cut off.
    constexpr int looks = 20;
    torn_ = is_torn();
    for (int look = 1; torn_ && look < looks; ++look) {
        options_.pause();
        torn_ = is_torn();
    }
    struct stat file{};
    ::fstat(file_, &file);
    day_ = file.st_size > 0 ? day_of(from_epoch_seconds(file.st_mtim.tv_sec)) : day_of(now);
    return true;
}

bool RotatingFile::is_torn() const {
    struct stat file{};
    char last = '\n';
    return ::fstat(file_, &file) == 0 && file.st_size > 0 && ::pread(file_, &last, 1, file.st_size - 1) == 1 &&
           last != '\n';
}

bool RotatingFile::is_same_file() const {
    struct stat here{};
    struct stat there{};
    return ::fstat(file_, &here) == 0 && ::stat(options_.path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

bool RotatingFile::is_full(const struct stat& file, std::size_t more, TimePoint now) const {
    if (file.st_size == 0 || !S_ISREG(file.st_mode)) return false;
    return static_cast<std::size_t>(file.st_size) + more > options_.bytes_max ||
           (options_.daily && day_of(now) != day_);
}

// If rotation fails (the folder is read-only), the file keeps growing: an oversized log is better than a lost one.
void RotatingFile::rotate() {
    // The lock is on this very file: the second of two processes finds it already renamed.
    ::flock(file_, LOCK_EX);
    if (is_same_file()) {
        for (unsigned number = options_.old_files_max; number > 1; --number)
            ::rename(numbered(options_.path, number - 1).c_str(), numbered(options_.path, number).c_str());
        ::rename(options_.path.c_str(), numbered(options_.path, 1).c_str());
    }
    ::flock(file_, LOCK_UN);
}

std::size_t RotatingFile::write(std::string_view lines, TimePoint now) noexcept {
    try {
        if ((file_ < 0 || !is_same_file()) && !open(now)) return 0;
        struct stat file{};
        if (::fstat(file_, &file) == 0 && is_full(file, lines.size(), now)) {
            rotate();
            if (!open(now)) return 0;
            day_ = day_of(now);
        }
    } catch (...) {
        error_ = ENOMEM;
        return 0;
    }
    // Terminates a line that a full disk cut off before the next one begins.
    const std::string_view gap = torn_ ? "\n" : "";
    std::array<iovec, 2> parts{iovec{const_cast<char*>(gap.data()), gap.size()},
                               iovec{const_cast<char*>(lines.data()), lines.size()}};
    ssize_t count = 0;
    do {
        count = ::writev(file_, parts.data(), parts.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        error_ = errno;
        return 0;
    }
    const std::size_t written = static_cast<std::size_t>(count) - std::min(gap.size(), static_cast<std::size_t>(count));
    if (count > 0) torn_ = written > 0 && written < lines.size() && lines[written - 1] != '\n';
    if (written < lines.size()) error_ = ENOSPC;  // the usual reason for a partial write
    return written;
}

std::string RotatingFile::trouble() const { return options_.path.string() + ": " + std::strerror(error_); }

}  // namespace consentry
