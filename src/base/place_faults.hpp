// Failures that say that a file or folder cannot be used where it is, however often one tries.
#pragma once

#include <algorithm>
#include <array>
#include <system_error>

namespace consentry {

// Not those of a disk that is full or fails.
inline bool is_fault_of_place(const std::error_code& error) {
    constexpr std::array of_place{std::errc::no_such_file_or_directory, std::errc::not_a_directory,
                                  std::errc::permission_denied,         std::errc::operation_not_permitted,
                                  std::errc::read_only_file_system,     std::errc::filename_too_long};
    return std::ranges::any_of(of_place, [&](std::errc reason) { return error == reason; });
}

}  // namespace consentry
