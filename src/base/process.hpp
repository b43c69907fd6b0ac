// What the system says of this process and its machine.
#pragma once

#include <cstdint>
#include <filesystem>

namespace consentry {

// Resident memory; 0 where the system does not say.
std::int64_t resident_bytes();
// Of the heap, what is allocated.
std::int64_t heap_bytes();
// How full the file system of this folder is, 0..100, as df has it; 100 where the system does not say.
std::int64_t disk_percent_used(const std::filesystem::path& folder);

}  // namespace consentry
