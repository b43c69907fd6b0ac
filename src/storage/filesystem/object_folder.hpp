// Objects as files below one folder: private/KEY and public/KEY. Blocking. Disk errors throw Unavailable; an absent
// object is not an error.
//
// A key is resolved segment by segment with openat() and O_NOFOLLOW, so neither a symbolic link below the folder nor a
// race of renames can lead out of it. (openat2() would do that in one call, but only if the kernel and the container's
// seccomp filter support it.) No object's key may be a folder of another's ("a" and "a/b").
//
// A compressed object is the file KEY.gz. If KEY exists as well, KEY is the object: a writer was killed between two
// steps, or a former version of the service wrote it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "storage/object_store.hpp"

namespace consentry::storage {

class ObjectFolder {
public:
    using Deadline = std::chrono::steady_clock::time_point;

    // Creates the folder if it does not exist. Throws std::runtime_error.
    explicit ObjectFolder(const std::filesystem::path& folder);

    std::optional<std::uint64_t> size(Area area, const std::string& key) const;
    std::optional<Object> get(Area area, const std::string& key, std::size_t bytes_max) const;
    // All take effect before the deadline or never, unless the disk stalls in the very call that makes the change
    // visible.
    void put(Area area, const std::string& key, std::string_view bytes, Deadline deadline) const;
    void put_compressed(Area area, const std::string& key, std::string_view bytes, Deadline deadline) const;
    void erase(Area area, const std::string& key, Deadline deadline) const;

    // Throws std::runtime_error if a folder is not writable or is accessible to other users.
    void check() const;
    // The part of check() that writes nothing: throws WrongSettings. The folder need not exist.
    static void look(const std::filesystem::path& folder);
    // The same as get(), of a folder that need not exist.
    static std::optional<Object> look_up(const std::filesystem::path& folder, Area area, const std::string& key,
                                         std::size_t bytes_max);
    void ping(Area area) const;

private:
    void forget_unfinished() const;

    std::filesystem::path folder_;
};

}  // namespace consentry::storage
