#include "storage/filesystem/object_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/gzip.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/random.hpp"
#include "storage/compressed_object.hpp"

namespace consentry::storage {
namespace {

namespace fs = std::filesystem;

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t folder_mode = 0700;
constexpr mode_t file_mode = 0600;
constexpr mode_t rights_of_others = 0077;
constexpr std::string_view unfinished_name = "unfinished";
// Longer than any put. Judged by age, because the writer may be a process in another container, whose pid is not
// visible here.
constexpr std::chrono::hours unfinished_kept{1};

std::string_view name_of(Area area) { return area == Area::private_area ? "private" : "public"; }

std::string reason_of(int error) { return std::generic_category().message(error); }

[[noreturn]] void unavailable(std::string_view what, int error) {
    throw Unavailable(fmt::format("files: {}: {}", what, reason_of(error)));
}

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    bool is_open() const { return fd_ >= 0; }
    int get() const { return fd_; }

private:
    int fd_;
};

// Reopened for every call, because a disk may be removed and mounted again.
Descriptor open_part(const fs::path& folder, std::string_view part) {
    const Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root.is_open()) unavailable("the folder cannot be opened", errno);
    const std::string name(part);
    Descriptor out(::openat(root.get(), name.c_str(), folder_flags));
    const int error = errno;
    if (!out.is_open()) unavailable(fmt::format("the {} folder cannot be opened", name), error);
    return out;
}

struct Place {
    std::vector<std::string> folders;
    std::string file;
};

Place place_of(std::string_view key) {
    Place out;
    while (key.contains('/')) out.folders.emplace_back(take_part(key, '/'));
    out.file = key;
    return out;
}

// The errors for a missing name, a path through a file, a symbolic link, and a name that this file system cannot hold.
bool is_absence(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG; }

std::optional<Descriptor> find_folder(Descriptor here, const Place& place) {
    for (const std::string& name : place.folders) {
        Descriptor next(::openat(here.get(), name.c_str(), folder_flags));
        if (!next.is_open()) {
            if (is_absence(errno)) return std::nullopt;
            unavailable("a folder cannot be opened", errno);
        }
        here = std::move(next);
    }
    return here;
}

void sync(const Descriptor& what) {
    if (::fsync(what.get()) != 0) unavailable("changes cannot be synced to disk", errno);
}

// Syncs every folder on the path and not only new ones, because a folder just created by another writer may not be
// durable yet.
Descriptor make_folder(Descriptor here, const Place& place) {
    for (const std::string& name : place.folders) {
        if (::mkdirat(here.get(), name.c_str(), folder_mode) != 0 && errno != EEXIST)
            unavailable("a folder cannot be created", errno);
        Descriptor next(::openat(here.get(), name.c_str(), folder_flags));
        if (!next.is_open()) unavailable("a folder cannot be opened", errno);
        sync(here);
        here = std::move(next);
    }
    return here;
}

struct File {
    Descriptor descriptor;
    std::uint64_t size = 0;
    bool is_packed = false;
};

std::optional<File> open_file(const Descriptor& folder, const std::string& name) {
    File out{.descriptor =
                 Descriptor(::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))};
    if (!out.descriptor.is_open()) {
        if (is_absence(errno)) return std::nullopt;
        unavailable("a file cannot be opened", errno);
    }
    struct stat facts{};
    if (::fstat(out.descriptor.get(), &facts) != 0) unavailable("a file cannot be read", errno);
    if (!S_ISREG(facts.st_mode)) return std::nullopt;
    out.size = static_cast<std::uint64_t>(facts.st_size);
    return out;
}

std::string packed_name(const Place& place) { return place.file + std::string(packed_ending); }

// Looks for KEY, KEY.gz and KEY again: a writer may replace the one by the other meanwhile.
std::optional<File> find_file(const fs::path& folder, Area area, const std::string& key) {
    const Place place = place_of(key);
    const auto parent = find_folder(open_part(folder, name_of(area)), place);
    if (!parent) return std::nullopt;
    if (auto plain = open_file(*parent, place.file)) return plain;
    if (auto packed = open_file(*parent, packed_name(place))) {
        packed->is_packed = true;
        return packed;
    }
    return open_file(*parent, place.file);
}

std::string read_up_to(std::uint64_t bytes, const Descriptor& file) {
    std::string out(bytes, '\0');
    std::size_t filled = 0;
    while (filled < out.size()) {
        const ssize_t count = ::read(file.get(), out.data() + filled, out.size() - filled);
        if (count == 0) unavailable("a file is shorter than expected", EIO);
        if (count > 0)
            filled += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            unavailable("a file cannot be read", errno);
    }
    return out;
}

std::optional<Object> read_object(const fs::path& folder, Area area, const std::string& key, std::size_t bytes_max) {
    const auto file = find_file(folder, area, key);
    if (!file) return std::nullopt;
    const std::size_t stored_max = file->is_packed ? packed_bytes_max(bytes_max) : bytes_max;
    std::string stored = read_up_to(std::min<std::uint64_t>(file->size, stored_max), file->descriptor);
    return file->is_packed ? unpacked_object(stored, bytes_max)
                           : Object{.bytes = std::move(stored), .size = file->size};
}

// Returns false if there is none.
bool remove_file(const Descriptor& folder, const std::string& name) {
    if (::unlinkat(folder.get(), name.c_str(), 0) == 0) return true;
    if (errno != ENOENT && errno != EISDIR) unavailable("a file cannot be deleted", errno);
    return false;
}

// A file being written, which no key reaches. The destructor removes it unless it was moved into place.
class Unfinished {
public:
    explicit Unfinished(const fs::path& folder)
        : folder_(open_part(folder, unfinished_name)),
          name_(to_hex(crypto::random_bytes(16))),
          file_(
              ::openat(folder_.get(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode)) {
        if (!file_.is_open()) unavailable("a file cannot be created", errno);
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished() {
        if (!moved_) ::unlinkat(folder_.get(), name_.c_str(), 0);
    }

    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
            if (written >= 0)
                bytes.remove_prefix(static_cast<std::size_t>(written));
            else if (errno != EINTR)
                unavailable("a file cannot be written", errno);
        }
        sync(file_);
    }
    void move_to(const Descriptor& folder, const std::string& name) {
        if (::renameat(folder_.get(), name_.c_str(), folder.get(), name.c_str()) != 0)
            unavailable("a file cannot be moved into place", errno);
        moved_ = true;
    }

private:
    Descriptor folder_;
    std::string name_;
    Descriptor file_;
    bool moved_ = false;
};

void require_time(ObjectFolder::Deadline deadline) {
    if (std::chrono::steady_clock::now() >= deadline) unavailable("the disk is too slow", ETIMEDOUT);
}

struct Names {
    std::string written;
    std::string removed;  // the object's other form
};

// Readers find an object at every moment. They see the new one after the first step if it is KEY, and after the second
// if it is KEY.gz.
void replace(const fs::path& folder, Area area, const Place& place, const Names& names, std::string_view bytes,
             ObjectFolder::Deadline deadline) {
    Unfinished file(folder);
    file.write(bytes);
    const Descriptor parent = make_folder(open_part(folder, name_of(area)), place);
    require_time(deadline);
    file.move_to(parent, names.written);
    sync(parent);
    require_time(deadline);
    if (remove_file(parent, names.removed)) sync(parent);
}

// Throws WrongSettings unless open_part() can open what is there.
void require_usable(const fs::path& part, bool is_private) {
    struct stat facts{};
    if (::lstat(part.c_str(), &facts) != 0) return;  // it is made at the start
    const auto refuse = [&](std::string_view trouble) {
        throw WrongSettings(fmt::format("{}{}", part.string(), trouble));
    };
    if (S_ISLNK(facts.st_mode)) refuse(" is a symbolic link, which Consentry does not follow; use a folder instead");
    if (!S_ISDIR(facts.st_mode)) refuse(": " + reason_of(ENOTDIR));
    if (::faccessat(AT_FDCWD, part.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) refuse(": " + reason_of(errno));
    if (is_private && (facts.st_mode & rights_of_others) != 0)
        refuse(" is accessible to other users; run chmod 700 on it");
}

}  // namespace

ObjectFolder::ObjectFolder(const fs::path& folder) : folder_(fs::absolute(folder).lexically_normal()) {
    if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "storage/"
    for (const fs::path& part :
         {folder_ / name_of(Area::private_area), folder_ / name_of(Area::public_area), folder_ / unfinished_name})
        consentry::make_folder(part);
    forget_unfinished();
}

// Removes the files that killed writers left behind.
void ObjectFolder::forget_unfinished() const {
    const auto old = fs::file_time_type::clock::now() - unfinished_kept;
    std::error_code ignored;  // another process may clean up at the same time
    for (const auto& entry : fs::directory_iterator(folder_ / unfinished_name, ignored)) {
        const auto written = entry.last_write_time(ignored);
        if (!ignored && written < old) fs::remove(entry.path(), ignored);
    }
}

std::optional<std::uint64_t> ObjectFolder::size(Area area, const std::string& key) const {
    const auto file = find_file(folder_, area, key);
    return file ? std::optional(file->size) : std::nullopt;
}

std::optional<Object> ObjectFolder::get(Area area, const std::string& key, std::size_t bytes_max) const {
    return read_object(folder_, area, key, bytes_max);
}

void ObjectFolder::put(Area area, const std::string& key, std::string_view bytes, Deadline deadline) const {
    const Place place = place_of(key);
    replace(folder_, area, place, {.written = place.file, .removed = packed_name(place)}, bytes, deadline);
}

void ObjectFolder::put_compressed(Area area, const std::string& key, std::string_view bytes, Deadline deadline) const {
    const Place place = place_of(key);
    const std::string packed = gzip(bytes, Effort::usual);
    replace(folder_, area, place, {.written = packed_name(place), .removed = place.file}, packed, deadline);
}

// KEY.gz first: without KEY, which hides it, it would be the object.
void ObjectFolder::erase(Area area, const std::string& key, Deadline deadline) const {
    const Place place = place_of(key);
    const auto parent = find_folder(open_part(folder_, name_of(area)), place);
    if (!parent) return;
    require_time(deadline);
    remove_file(*parent, packed_name(place));
    remove_file(*parent, place.file);
    sync(*parent);  // even if another caller erased it, which may not be durable yet
}

void ObjectFolder::ping(Area area) const { open_part(folder_, name_of(area)); }

void ObjectFolder::look(const fs::path& folder) {
    if (::faccessat(AT_FDCWD, folder.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0 && !is_absence(errno))
        throw WrongSettings(fmt::format("{}: {}", folder.string(), reason_of(errno)));
    for (const std::string_view part : {name_of(Area::private_area), name_of(Area::public_area), unfinished_name})
        require_usable(folder / part, part != name_of(Area::public_area));
}

std::optional<Object> ObjectFolder::look_up(const fs::path& folder, Area area, const std::string& key,
                                            std::size_t bytes_max) {
    std::error_code error;
    if (!fs::exists(folder / name_of(area), error) && !error) return std::nullopt;
    return read_object(folder, area, key, bytes_max);
}

void ObjectFolder::check() const {
    look(folder_);
    try {
        for (const Area area : {Area::private_area, Area::public_area}) {
            const Descriptor part = open_part(folder_, name_of(area));
            const std::string name = to_hex(crypto::random_bytes(16)) + ".check";
            Unfinished file(folder_);
            file.move_to(part, name);
            if (::unlinkat(part.get(), name.c_str(), 0) != 0) unavailable("a file cannot be deleted", errno);
        }
    } catch (const Unavailable& error) {
        throw std::runtime_error(fmt::format("{}: {}", folder_.string(), error.what()));
    }
}

}  // namespace consentry::storage
