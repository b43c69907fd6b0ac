#include "base/open_files.hpp"

#include <algorithm>

#include <sys/resource.h>

namespace consentry {

void raise_file_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t connections_that_can_be(std::size_t wanted) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
    return std::min<std::size_t>(wanted, std::max<std::size_t>(1, limit.rlim_cur - limit.rlim_cur / 8));
}

std::size_t files_for_connections(std::size_t wanted) { return wanted + wanted / 7; }

}  // namespace consentry
