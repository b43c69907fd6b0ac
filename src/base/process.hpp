// Resource usage of this process and its machine, as reported by the operating system.
#pragma once

#include <cstdint>
#include <filesystem>

namespace consentry {

// Resident memory in bytes; 0 if the system does not report it.
std::int64_t resident_bytes();
// Allocated heap memory in bytes.
std::int64_t heap_bytes();
// Usage of the folder's file system in percent (0..100), as df reports it; 100 if the system does not report it.
std::int64_t disk_percent_used(const std::filesystem::path& folder);

// Gives back what only the start has needed: free heap memory, and the pages of program and libraries, most of which
// are not needed again. Those that are come back from the page cache. For the end of the start.
void give_back_start_memory();

}  // namespace consentry
