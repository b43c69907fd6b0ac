// Objects as files below one folder: private/KEY and public/KEY. Blocking; what the disk refuses is thrown as
// Unavailable, an absent object is none of that.
//
// A key is walked segment by segment with openat() and O_NOFOLLOW: a link that somebody put below the folder leads
// nowhere, and no race of renames leads out of it. (openat2() would do that in one call, where the kernel and the
// container's filter know it.) An object whose name is the beginning of another's ("a" and "a/b") has no place here.
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

    // Made where it is not there. Throws std::runtime_error.
    explicit ObjectFolder(const std::filesystem::path& folder);

    std::optional<std::uint64_t> size(Area area, const std::string& key) const;
    std::optional<Object> get(Area area, const std::string& key, std::size_t bytes_max) const;
    // Both take effect before the deadline or never, unless the disk stands still in the one call that makes it
    // visible.
    void put(Area area, const std::string& key, std::string_view bytes, Deadline deadline) const;
    void erase(Area area, const std::string& key, Deadline deadline) const;

    // Throws std::runtime_error: what cannot be written, or is open to strangers.
    void check() const;
    void ping(Area area) const;

private:
    void forget_unfinished() const;

    std::filesystem::path folder_;
};

}  // namespace consentry::storage
