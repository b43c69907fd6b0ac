// What a service manager and its service tell each other, in systemd's documented protocols: sockets that are passed on
// (sd_listen_fds(3)), notifications (sd_notify(3)) and the watchdog (sd_watchdog_enabled(3)). Small enough to do
// without libsystemd, which brings compression libraries along. Without a service manager all of it does nothing.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace consentry {

// Returns the listening sockets that the service manager opened for this process; empty if it did not. The caller owns
// them. Later calls return none, and neither do child processes.
std::vector<int> take_passed_sockets();
// Whether take_passed_sockets() would return any.
bool has_passed_sockets();

// Sends a state, such as "READY=1". Errors are ignored: a service manager that is gone does not concern the service.
void notify_service_manager(std::string_view state);

// How often the service manager wants to hear from the process at least; nullopt if it does not watch.
std::optional<milliseconds> watchdog_interval();

// Tells the service manager twice per interval that the process is alive, as long as it is.
class Watchdog {
public:
    // `is_alive` is called on a thread of this object and may block for a fraction of the interval.
    Watchdog(milliseconds interval, std::function<bool()> is_alive);

private:
    std::jthread thread_;
};

// As long as it lives, asks the service manager for more time to start: systemd ends a start that takes longer than the
// unit allows (TimeoutStartSec), and an upgrade of the schema may take hours.
class LongerStart {
public:
    LongerStart();

private:
    std::jthread thread_;
};

}  // namespace consentry
