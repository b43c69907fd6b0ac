#include "base/process.hpp"

#include <cstdio>

#include <sys/statvfs.h>
#include <unistd.h>

#include <malloc.h>

namespace consentry {

std::int64_t resident_bytes() {
    // In pages: all, resident, ...
    long resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "re"); file != nullptr) {
        if (std::fscanf(file, "%*d %ld", &resident) != 1) resident = 0;
        std::fclose(file);
    }
    return std::int64_t{resident} * ::sysconf(_SC_PAGESIZE);
}

std::int64_t heap_bytes() {
    const struct mallinfo2 facts = ::mallinfo2();
    return static_cast<std::int64_t>(facts.uordblks + facts.hblkhd);
}

std::int64_t disk_percent_used(const std::filesystem::path& folder) {
    struct statvfs facts{};
    if (::statvfs(folder.c_str(), &facts) != 0) return 100;
    // Blocks reserved for the superuser count neither as used nor as free. Rounded up.
    const auto used = facts.f_blocks - facts.f_bfree;
    const auto all = used + facts.f_bavail;
    if (all == 0) return 100;
    return static_cast<std::int64_t>((used * 100 + all - 1) / all);
}

}  // namespace consentry
