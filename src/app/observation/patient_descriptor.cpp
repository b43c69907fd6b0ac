#include "app/observation/patient_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <poll.h>

#include "base/clock.hpp"

namespace consentry {
namespace {

constexpr milliseconds reader_patience{1'000};  // how long the reader may stall
constexpr int refused_max = 1'000;              // how often a terminal may poll as writable and take nothing

// A terminal that polls as writable may still block. It must not be made non-blocking itself, because the shell and
// others share that state: it is opened once more.
int opened_again(int descriptor) {
    if (::isatty(descriptor) == 0) return -1;
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

PatientDescriptor::PatientDescriptor(int descriptor) : given_(descriptor), own_(opened_again(descriptor)) {}

PatientDescriptor::~PatientDescriptor() {
    if (own_ >= 0) ::close(own_);
}

std::size_t PatientDescriptor::write(std::string_view lines) noexcept {
    if (torn_ && put("\n") == 0) return 0;
    return put(lines);
}

std::string PatientDescriptor::trouble() const { return error_ == 0 ? std::string() : std::strerror(error_); }

std::size_t PatientDescriptor::put(std::string_view bytes) noexcept {
    const int descriptor = own_ >= 0 ? own_ : given_;
    std::size_t done = 0;
    int refused = 0;
    while (done < bytes.size()) {
        // A pipe that polls as writable accepts PIPE_BUF bytes without blocking, all or nothing (POSIX).
        pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
        const int count = ::poll(&ready, 1, static_cast<int>(reader_patience.count()));
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = EAGAIN;
        if (count <= 0) break;
        const ssize_t written =
            ::write(descriptor, bytes.data() + done, std::min<std::size_t>(bytes.size() - done, PIPE_BUF));
        if (written < 0 && errno == EINTR) continue;
        // A terminal without room for a byte polls as writable for a moment at most.
        if (written < 0 && errno == EAGAIN && ++refused <= refused_max) continue;
        if (written < 0) break;
        done += static_cast<std::size_t>(written);
    }
    if (done < bytes.size()) error_ = errno;
    if (done > 0) torn_ = bytes[done - 1] != '\n';
    return done;
}

}  // namespace consentry
