// Opens the log according to the settings (LOGGER_*): its target and its format.
#pragma once

#include <memory>
#include <string_view>

#include "app/config/config.hpp"
#include "base/line_writer.hpp"
#include "base/log.hpp"

namespace consentry {

// Returns null if LOGGER_ENABLE is off. `clock` must outlive the log.
std::unique_ptr<Log> open_log(const Config& config, const Clock& clock);

// Writes to the file at `path` (./logs/api.log) and rotates it. With `prettier`, lines are formatted for people.
std::unique_ptr<LineTarget> log_file(const std::filesystem::path& path, bool prettier, const Clock& clock);
// Writes to standard output or another open descriptor. A pipe without a reader does not block the service.
std::unique_ptr<LineTarget> log_descriptor(int descriptor, bool prettier, const Clock& clock);

// Formats a log line for people, again as one line: time, severity, context, message, and the remaining members
// unchanged.
std::string prettier_line(std::string_view line);

}  // namespace consentry
