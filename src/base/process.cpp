#include "base/process.hpp"

#include <cstdio>

#include <unistd.h>

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

}  // namespace consentry
