#include "base/process.hpp"

#include <cstdio>
#include <span>
#include <string_view>

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <link.h>
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

void give_back_start_memory() {
    malloc_trim(0);
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void*) {
            if (std::string_view(object->dlpi_name).starts_with("linux-vdso")) return 0;
            for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
                // A segment that can be written differs from its file. One that cannot does so only where a debugger
                // has set a breakpoint, which is then lost: set it after the start.
                if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
                const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
                const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) / page * page;
                const std::uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
                // An address from the loader, not a pointer to an object of ours.
                madvise(reinterpret_cast<void*>(begin), end - begin,
                        MADV_DONTNEED);  // NOLINT(performance-no-int-to-ptr)
            }
            return 0;
        },
        nullptr);
}

}  // namespace consentry
