#include "base/new_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder_of.hpp"

namespace consentry {

namespace fs = std::filesystem;

NewFile::NewFile(fs::path path) : path_(std::move(path)) {
    std::string name = path_.string() + ".XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) refuse(errno);
    unfinished_ = name;
}

NewFile::~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void NewFile::refuse(int error) const {
    throw std::system_error(error, std::generic_category(), "cannot write " + path_.string());
}

void NewFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
        if (count >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(count));
        else if (errno != EINTR)
            refuse(errno);
    }
}

void NewFile::take_after(const fs::path& present) {
    struct stat facts{};
    if (::stat(present.c_str(), &facts) != 0) refuse(errno);
    if (::fchown(descriptor_, facts.st_uid, facts.st_gid) != 0 || ::fchmod(descriptor_, facts.st_mode & 0640U) != 0)
        refuse(errno);
}

void NewFile::sync() {
    if (::fsync(descriptor_) != 0) refuse(errno);
}

void NewFile::close() {
    // Some file systems report only now that a write failed.
    if (::close(std::exchange(descriptor_, -1)) != 0) refuse(errno);
}

void NewFile::replace() {
    sync();
    close();
    if (::rename(unfinished_.c_str(), path_.c_str()) != 0) refuse(errno);
    unfinished_.clear();
    sync_folder_of(path_);
}

bool NewFile::take_free_name() {
    sync();
    close();
    // link() instead of rename(), because it never replaces an existing file.
    if (::link(unfinished_.c_str(), path_.c_str()) != 0) {
        if (errno == EEXIST) return false;
        refuse(errno);
    }
    ::unlink(unfinished_.c_str());
    unfinished_.clear();
    sync_folder_of(path_);
    return true;
}

void replace_file(const fs::path& path, std::string_view content) {
    NewFile file(path);
    file.write(content);
    file.replace();
}

void make_folder(const fs::path& folder, mode_t mode) {
    std::error_code missing;
    if (folder.empty() || fs::is_directory(folder, missing)) return;
    make_folder(folder.parent_path(), mode);
    if (::mkdir(folder.c_str(), mode) != 0) {
        int error = errno;
        if (error == EEXIST) {
            // Another process may have made the folder. For a file or a dangling link, "File exists" would read as if
            // all were well.
            struct stat there{};
            error = ::stat(folder.c_str(), &there) != 0 ? errno : S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
        }
        if (error != 0)
            throw std::system_error(error, std::generic_category(), "cannot create the folder " + folder.string());
    }
    sync_folder_of(folder);
}

void sync_folder_of(const fs::path& path) {
    const fs::path folder = folder_of(path);
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = opened >= 0 && ::fsync(opened) == 0 ? 0 : errno;
    if (opened >= 0) ::close(opened);
    if (error != 0)
        throw std::system_error(error, std::generic_category(), "cannot sync the folder " + folder.string());
}

}  // namespace consentry
