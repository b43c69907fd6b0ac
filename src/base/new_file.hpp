// A file that takes its name only once it is complete and on disk: no reader meets half of it, and neither a crash nor
// a full disk leaves half of it under its name. Only its owner may read it (0600).
//
// All functions throw std::system_error with a sentence that names the file.
#pragma once

#include <filesystem>
#include <string_view>

#include <sys/stat.h>
#include <sys/types.h>

namespace consentry {

class NewFile {
public:
    // Creates a file beside `path`, in the same folder, under a name of its own.
    explicit NewFile(std::filesystem::path path);
    // Removes what has not taken its name.
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::string_view bytes);
    // Gives it the owner, the group and at most the mode 0640 of a file that it is to replace.
    void take_after(const std::filesystem::path& present);

    // Takes the name, in place of a file that has it.
    void replace();
    // Takes the name if no file has it. Returns false if one has: of several processes, one wins.
    [[nodiscard]] bool take_free_name();

private:
    [[noreturn]] void refuse(int error) const;
    void sync();
    void close();

    const std::filesystem::path path_;
    std::filesystem::path unfinished_;  // empty once it has its name
    int descriptor_ = -1;
};

// Writes a whole file in place of one that has its name.
void replace_file(const std::filesystem::path& path, std::string_view content);

// Makes the folder and its parents, as far as they are missing, with this mode: by default for their owner only. They
// stay after a power failure. Throws std::system_error: ENOTDIR if one of the names is that of a file, ENOENT
// if it is that of a dangling link.
void make_folder(const std::filesystem::path& folder, mode_t mode = S_IRWXU);

// Makes durable which files the folder of `path` has: a new name may otherwise be gone after a power failure
// (fsync(2)).
void sync_folder_of(const std::filesystem::path& path);

}  // namespace consentry
