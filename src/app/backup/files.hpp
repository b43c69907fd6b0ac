// Files of a backup: private to their owner, and on disk before anything says so. All functions throw
// std::runtime_error that names the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace consentry {

// Regular files, sorted. Empty if the folder does not exist. Refuses symbolic links, which could lead anywhere.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

// Throws WrongSettings if the path exists and is not an empty folder. `what` completes the message: "X is not empty,
// but WHAT must be".
void require_empty(const std::filesystem::path& folder, std::string_view what);

// Keeps other processes that ask for it from working on the same folder, until destruction. Refuses if one of them
// does: "X: BUSY".
class FolderLock {
public:
    FolderLock(const std::filesystem::path& folder, std::string_view busy);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int descriptor_;
};

// Called after each piece of a file with its size.
using OnPiece = std::function<void(std::size_t bytes)>;

// Copies to a new file (0600), syncs it and its folder, and returns its SHA-256 in hexadecimal; nullopt if the source
// is gone. Leaves no part of a file behind.
std::optional<std::string> copy_to_new(const std::filesystem::path& from, const std::filesystem::path& to,
                                       const OnPiece& on_piece = {});
std::string digest_of_file(const std::filesystem::path& file, const OnPiece& on_piece = {});

std::string read_file(const std::filesystem::path& file);
// Writes a file (0600) that must not exist yet.
void write_new_file(const std::filesystem::path& file, std::string_view text);
// Renames a finished file to its final name.
void put_in_place(const std::filesystem::path& unfinished, const std::filesystem::path& file);

struct Owner {
    uid_t user = 0;
    gid_t group = 0;
};
// The outermost folder on the way to this path that does not exist; the path itself if only that may be missing.
std::filesystem::path outermost_missing(const std::filesystem::path& path);
// The path and everything below it. Does nothing unless root calls it.
void give_to(const std::filesystem::path& path, Owner owner);

}  // namespace consentry
