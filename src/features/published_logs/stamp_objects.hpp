// The objects of a log that hold timestamps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace consentry {

inline constexpr std::size_t stamp_bytes_max = 64 * 1024;  // with a chain of certificates

// In the folder of the log.
inline std::string stamp_name(std::uint64_t size) { return fmt::format("timestamps/{}.tsr", size); }

}  // namespace consentry
