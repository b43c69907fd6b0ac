#include "app/backup/files.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/new_file.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/sha256_stream.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece_bytes = std::size_t{256} * 1024;

[[noreturn]] void refuse(const fs::path& file, int error = errno) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), std::generic_category().message(error)));
}

class File {
public:
    File(const fs::path& path, int flags)
        : path_(path), number_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
    ~File() {
        if (number_ >= 0) close(number_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    bool is_open() const { return number_ >= 0; }
    const File& required() const {
        if (!is_open()) refuse(path_);
        return *this;
    }
    // Calls `take` with each piece.
    void read_all(const auto& take) const {
        std::string piece(piece_bytes, '\0');
        for (;;) {
            const ssize_t count = read(number_, piece.data(), piece.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) refuse(path_);
            if (count == 0) return;
            take(std::string_view(piece).substr(0, static_cast<std::size_t>(count)));
        }
    }
    void write_all(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t count = write(number_, text.data(), text.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) refuse(path_);
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    void sync() const {
        if (fsync(number_) != 0) refuse(path_);
    }

private:
    const fs::path path_;
    const int number_;
};

// A folder that is not there, or was removed meanwhile, has no files to copy; those beside it do.
void add_files(const fs::path& folder, std::vector<fs::path>& out) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (at->is_symlink(ignored))
            throw std::runtime_error(fmt::format("{} is a symbolic link", at->path().string()));
        if (at->is_directory(ignored)) add_files(at->path(), out);
        if (at->is_regular_file(ignored)) out.push_back(at->path());
    }
    if (error && error != std::errc::no_such_file_or_directory) refuse(folder, error.value());
}

// Goes by descriptors, and never through a symbolic link: the owner of the folder may exchange its content meanwhile.
// `name` is relative to the folder `at`; `path` is for messages.
void give_all_to(const Owner& owner, int at, const char* name, const fs::path& path) {
    if (fchownat(at, name, owner.user, owner.group, AT_SYMLINK_NOFOLLOW) != 0) refuse(path);
    const int opened = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 && (errno == ENOTDIR || errno == ELOOP)) return;
    if (opened < 0) refuse(path);
    const std::unique_ptr<DIR, decltype([](DIR* folder) { closedir(folder); })> folder(fdopendir(opened));
    if (!folder) refuse(path);
    for (;;) {
        errno = 0;  // readdir() returns null at the end and on errors, and sets it on errors only
        const dirent* entry = readdir(folder.get());
        if (entry == nullptr) break;
        const std::string_view entry_name = entry->d_name;
        if (entry_name != "." && entry_name != "..") give_all_to(owner, opened, entry->d_name, path / entry_name);
    }
    if (errno != 0) refuse(path);
}

}  // namespace

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> out;
    add_files(folder, out);
    std::ranges::sort(out);
    return out;
}

void require_empty(const fs::path& folder, std::string_view what) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder, error))) return;
    const bool is_folder = fs::is_directory(folder, error);
    if (is_folder && fs::is_empty(folder, error) && !error) return;
    const std::string trouble = error       ? ": " + error.message()
                                : is_folder ? fmt::format(" is not empty, but {} must be", what)
                                            : " is not a folder";
    throw WrongSettings(fmt::format("{}{}; nothing was changed", folder.string(), trouble));
}

FolderLock::FolderLock(const fs::path& folder, std::string_view busy)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) refuse(folder);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    const int error = errno;
    close(descriptor_);
    if (error == EWOULDBLOCK) throw std::runtime_error(fmt::format("{}: {}", folder.string(), busy));
    refuse(folder, error);
}

FolderLock::~FolderLock() { close(descriptor_); }

std::optional<std::string> copy_to_new(const fs::path& from, const fs::path& to, const OnPiece& on_piece) {
    const File source(from, O_RDONLY);
    if (!source.is_open() && errno == ENOENT) return std::nullopt;
    source.required();
    make_folder(to.parent_path());
    const File target(to, O_WRONLY | O_CREAT | O_EXCL);
    target.required();
    try {
        crypto::Sha256Stream digest;
        source.read_all([&](std::string_view piece) {
            digest.add(as_bytes(piece));
            target.write_all(piece);
            if (on_piece) on_piece(piece.size());
        });
        target.sync();
        sync_folder_of(to);
        return to_hex(digest.finish());
    } catch (...) {
        unlink(to.c_str());
        throw;
    }
}

std::string digest_of_file(const fs::path& file, const OnPiece& on_piece) {
    crypto::Sha256Stream digest;
    File(file, O_RDONLY).required().read_all([&](std::string_view piece) {
        digest.add(as_bytes(piece));
        if (on_piece) on_piece(piece.size());
    });
    return to_hex(digest.finish());
}

std::string read_file(const fs::path& file) {
    std::string out;
    File(file, O_RDONLY).required().read_all([&](std::string_view piece) { out += piece; });
    return out;
}

void write_new_file(const fs::path& file, std::string_view text) {
    NewFile made(file);
    made.write(text);
    if (!made.take_free_name()) refuse(file, EEXIST);
}

void put_in_place(const fs::path& unfinished, const fs::path& file) {
    // link() instead of rename(), because it never replaces a database that was created meanwhile.
    if (link(unfinished.c_str(), file.c_str()) != 0) refuse(file);
    if (unlink(unfinished.c_str()) != 0) refuse(unfinished);
    sync_folder_of(file);
}

fs::path outermost_missing(const fs::path& path) {
    fs::path out = fs::absolute(path).lexically_normal();
    for (fs::path above = out.parent_path(); !fs::exists(above); above = above.parent_path()) out = above;
    return out;
}

void give_to(const fs::path& path, Owner owner) {
    std::error_code error;
    if (geteuid() == 0 && fs::exists(path, error)) give_all_to(owner, AT_FDCWD, path.c_str(), path);
}

}  // namespace consentry
