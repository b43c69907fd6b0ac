#include "base/thread_priority.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>
#include <thread>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace consentry {
namespace {

struct Seen {
    int nice = 0;
    std::uint64_t slice_ns = 0;
};

// Of the calling thread.
Seen seen() {
    Seen out{.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)))};
    std::array<std::byte, 48> attributes{};  // struct sched_attr of sched_getattr(2)
    if (syscall(SYS_sched_getattr, 0, attributes.data(), attributes.size(), 0U) == 0)
        std::memcpy(&out.slice_ns, attributes.data() + 24, sizeof out.slice_ns);  // sched_runtime
    return out;
}

TEST(ThreadPriority, LowersThatOfTheCallingThreadOnly) {
    const Seen before = seen();
    const Seen lowered = std::async(std::launch::async, [] {
                             lower_thread_priority(19, std::chrono::milliseconds{100});
                             return seen();
                         }).get();
    EXPECT_EQ(lowered.nice, 19);
    EXPECT_EQ(seen().nice, before.nice);
    EXPECT_EQ(seen().slice_ns, before.slice_ns);
    if (lowered.slice_ns == 0) GTEST_SKIP() << "this kernel has no time slices of threads";
    EXPECT_EQ(lowered.slice_ns, 100'000'000U);
}

}  // namespace
}  // namespace consentry
