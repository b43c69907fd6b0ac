// The scheduling of the calling thread, for work that must not delay requests.
#pragma once

#include <chrono>

namespace consentry {

// Lowers the priority of the calling thread to this nice value, 1..19, and asks the kernel for longer time slices: a
// thread that wakes up replaces one with longer slices at once, but lets one with slices like its own complete them,
// which can take 4 ms (Linux 6.12 and newer; older kernels ignore the slice). `slice`: 0.1..100 ms.
// Does nothing if the kernel refuses.
void lower_thread_priority(int nice, std::chrono::milliseconds slice) noexcept;

}  // namespace consentry
