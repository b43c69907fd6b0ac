#include "app/service_manager.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/numbers.hpp"

namespace consentry {
namespace {

constexpr int first_passed = 3;  // SD_LISTEN_FDS_START
constexpr std::int64_t passed_max = 64;
constexpr milliseconds usual_interval{30'000};  // WatchdogSec of the package's unit

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : value;
}

std::optional<std::int64_t> number_in(const char* name) { return parse_number<std::int64_t>(variable(name)); }

bool is_for_this_process(const char* name) {
    const auto process = number_in(name);
    return process && *process == getpid();
}

// Calls `tell` on a thread of its own, at once and then twice per interval.
std::jthread twice_per(milliseconds interval, std::function<void()> tell) {
    return std::jthread([interval, tell = std::move(tell)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            tell();
            ended.wait_for(lock, stop, interval / 2, [] { return false; });
        }
    });
}

int passed_sockets() {
    const auto count = number_in("LISTEN_FDS");
    const bool are_there = is_for_this_process("LISTEN_PID") && count && *count > 0 && *count <= passed_max;
    return are_there ? static_cast<int>(*count) : 0;
}

}  // namespace

bool has_passed_sockets() { return passed_sockets() > 0; }

std::vector<int> take_passed_sockets() {
    std::vector<int> out;
    for (int socket = first_passed; socket < first_passed + passed_sockets(); ++socket) {
        fcntl(socket, F_SETFD, FD_CLOEXEC);
        out.push_back(socket);
    }
    for (const char* name : {"LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"}) unsetenv(name);
    return out;
}

void notify_service_manager(std::string_view state) {
    const std::string_view path = variable("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof(address.sun_path)) return;
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    if (path.front() == '@') address.sun_path[0] = '\0';  // Linux's abstract names
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) return;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    [[maybe_unused]] const auto sent =
        sendto(socket, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
    close(socket);
}

std::optional<milliseconds> watchdog_interval() {
    const auto microseconds = number_in("WATCHDOG_USEC");
    const bool is_other = !variable("WATCHDOG_PID").empty() && !is_for_this_process("WATCHDOG_PID");
    if (!microseconds || *microseconds < 1'000 || is_other) return std::nullopt;
    return milliseconds{*microseconds / 1'000};
}

Watchdog::Watchdog(milliseconds interval, std::function<bool()> is_alive)
    : thread_(twice_per(interval, [is_alive = std::move(is_alive)] {
          if (is_alive()) notify_service_manager("WATCHDOG=1");
      })) {}

LongerStart::LongerStart() {
    const milliseconds interval = watchdog_interval().value_or(usual_interval);
    // The service manager waits at least this long for the next message.
    const std::string message = fmt::format(
        "EXTEND_TIMEOUT_USEC={}", std::chrono::duration_cast<std::chrono::microseconds>(2 * interval).count());
    thread_ = twice_per(interval, [message] { notify_service_manager(message); });
}

}  // namespace consentry
