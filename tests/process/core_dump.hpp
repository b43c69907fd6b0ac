// Whether a program leaves its memory behind when it crashes.
#pragma once

#include <cerrno>
#include <csignal>
#include <stdexcept>

#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/support/process.hpp"

namespace consentry::tests {

// While it exists, programs that start here may write cores of any size, if the machine permits it at all.
class CoresAllowed {
public:
    CoresAllowed() {
        if (::getrlimit(RLIMIT_CORE, &former_) != 0) throw std::runtime_error("getrlimit");
        const rlimit all{.rlim_cur = former_.rlim_max, .rlim_max = former_.rlim_max};
        ::setrlimit(RLIMIT_CORE, &all);
    }
    ~CoresAllowed() { ::setrlimit(RLIMIT_CORE, &former_); }
    CoresAllowed(const CoresAllowed&) = delete;
    CoresAllowed& operator=(const CoresAllowed&) = delete;

private:
    rlimit former_{};
};

// Ends the program as a fault does. Returns whether the kernel wrote a core.
inline bool dumps_core(Program& program) {
    program.send(SIGABRT);
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(program.pid()), &ended, WEXITED | WNOWAIT) != 0)
        if (errno != EINTR) throw std::runtime_error("waitid");
    program.wait();
    return ended.si_code == CLD_DUMPED;
}

}  // namespace consentry::tests
