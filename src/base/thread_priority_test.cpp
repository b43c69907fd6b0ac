#include "base/thread_priority.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>

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

// Of a thread with lowered priority.
Seen seen_by_lowered() {
    return std::async(std::launch::async,
                      [] {
                          lower_thread_priority(19, std::chrono::milliseconds{100});
                          return seen();
                      })
        .get();
}

TEST(ThreadPriority, ANiceValueOfTheCallingThreadOnly) {
    const Seen before = seen();
    EXPECT_EQ(seen_by_lowered().nice, 19);
    EXPECT_EQ(seen().nice, before.nice);
    EXPECT_EQ(seen().slice_ns, before.slice_ns);
}

TEST(ThreadPriority, LongTimeSlicesIfTheKernelHasThem) {
    if (seen().slice_ns == 0) GTEST_SKIP() << "Linux before 6.12 does not report time slices";
    EXPECT_EQ(seen_by_lowered().slice_ns, 100'000'000U);
}

}  // namespace
}  // namespace consentry
