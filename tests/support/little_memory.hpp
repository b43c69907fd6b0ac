// Takes most of the memory from the running process, so that a hash of a gibibyte cannot be computed.
#pragma once

#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace consentry::tests {

// While it exists, the process can map less than another gibibyte.
class LittleMemory {
public:
    LittleMemory() {
        getrlimit(RLIMIT_AS, &before_);
        std::ifstream statm("/proc/self/statm");
        rlim_t pages = 0;
        statm >> pages;
        const rlim_t mapped = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
        const rlimit little{.rlim_cur = mapped + (rlim_t{768} << 20), .rlim_max = before_.rlim_max};
        EXPECT_EQ(setrlimit(RLIMIT_AS, &little), 0);
    }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;
    ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }

private:
    rlimit before_{};
};

}  // namespace consentry::tests
