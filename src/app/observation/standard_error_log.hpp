// Standard error of a command that serves. The default logger of spdlog and say() pass their lines to a LineWriter, so
// that a pipe that is not read, or a terminal that is held, blocks no thread (LOG-5). Lines that cannot be written are
// counted, and reported once there is a reader again.
#pragma once

#include <cstdint>
#include <memory>

#include <spdlog/logger.h>

namespace consentry {

class StandardErrorSink;

class StandardErrorLog {
public:
    // Create it before the threads that write messages, and destroy it after they have ended.
    StandardErrorLog();
    ~StandardErrorLog();  // writes all queued lines, unless there is no reader
    StandardErrorLog(const StandardErrorLog&) = delete;
    StandardErrorLog& operator=(const StandardErrorLog&) = delete;

private:
    const std::shared_ptr<spdlog::logger> former_;
    const std::shared_ptr<StandardErrorSink> sink_;
};

// Returns how many lines on standard error were lost; 0 if `log` does not belong to a StandardErrorLog.
std::uint64_t lines_lost_on_standard_error(const spdlog::logger& log);

}  // namespace consentry
