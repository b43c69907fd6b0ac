#include "storage/object_store.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/text.hpp"

namespace consentry::storage {

bool is_object_key(std::string_view key) {
    constexpr std::size_t bytes_max = 512;
    constexpr std::size_t segment_bytes_max = 255 - packed_ending.size();  // NAME_MAX of Linux's file systems
    if (key.size() > bytes_max || key.ends_with(packed_ending)) return false;
    const auto fits = [](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; };
    return std::ranges::all_of(split(key, '/'), [&](std::string_view segment) {
        return !segment.empty() && segment.size() <= segment_bytes_max && segment != "." && segment != ".." &&
               std::ranges::all_of(segment, fits);
    });
}

}  // namespace consentry::storage
