#include "app/observation/patient_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include <unistd.h>

#include <poll.h>

#include "base/clock.hpp"

namespace consentry {
namespace {

constexpr milliseconds reader_patience{1'000};  // how long the reader may stall

}  // namespace

std::size_t PatientDescriptor::write(std::string_view lines) noexcept {
    if (torn_ && put("\n") == 0) return 0;
    return put(lines);
}

std::string PatientDescriptor::trouble() const { return std::strerror(error_); }

std::size_t PatientDescriptor::put(std::string_view bytes) noexcept {
    std::size_t done = 0;
    while (done < bytes.size()) {
        // A pipe that polls as writable accepts PIPE_BUF bytes without blocking, all or nothing (POSIX).
        pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        const int count = ::poll(&ready, 1, static_cast<int>(reader_patience.count()));
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = EAGAIN;
        if (count <= 0) break;
        const ssize_t written =
            ::write(descriptor_, bytes.data() + done, std::min<std::size_t>(bytes.size() - done, PIPE_BUF));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) break;
        done += static_cast<std::size_t>(written);
    }
    if (done < bytes.size()) error_ = errno;
    if (done > 0) torn_ = bytes[done - 1] != '\n';
    return done;
}

}  // namespace consentry
