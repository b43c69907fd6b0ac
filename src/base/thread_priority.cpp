#include "base/thread_priority.hpp"

#include <cstdint>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sched.h>

namespace consentry {
namespace {

// struct sched_attr of sched_setattr(2). Its kernel header contradicts the C library's <sched.h> on Debian 12.
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0;  // of SCHED_OTHER: the time slice
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
};
constexpr std::uint64_t keep_policy = 0x08;  // SCHED_FLAG_KEEP_POLICY

}  // namespace

void lower_thread_priority(int nice, std::chrono::milliseconds slice) noexcept {
    // Linux keeps the nice value per thread. RLIMIT_NICE never forbids raising the value.
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), nice);
    const SchedulingAttributes attributes{
        .flags = keep_policy,
        .nice = nice,
        .runtime_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(slice).count())};
    syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

}  // namespace consentry
