// The log as the settings want it (LOGGER_*): where its lines go, and in which form.
#pragma once

#include <memory>
#include <string_view>

#include "app/config/config.hpp"
#include "base/line_writer.hpp"
#include "base/log.hpp"

namespace consentry {

// Null where LOGGER_ENABLE is off. `clock` outlives it.
std::unique_ptr<Log> open_log(const Config& config, const Clock& clock);

// ./logs/api.log and its old files. With `prettier`, lines for people.
std::unique_ptr<LineTarget> log_file(const std::filesystem::path& path, bool prettier, const Clock& clock);
// Standard output, or another open descriptor: a pipe that nobody reads holds up nothing.
std::unique_ptr<LineTarget> log_descriptor(int descriptor, bool prettier, const Clock& clock);

// A line of the log, for people: time, severity, context, message, and the rest as it is. One line as well.
std::string prettier_line(std::string_view line);

}  // namespace consentry
