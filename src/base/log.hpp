// The service log (LOGGER_*): one JSON object per line. Off unless the operator enables it; messages that the operator
// must always see go to standard error by other means.
//
// Thread-safe; a dedicated thread does the writing (line_writer.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/line_writer.hpp"

namespace consentry {

enum class LogLevel : std::uint8_t { error, warn, info, verbose, debug };

// Appends the members that every line begins with, {"severity":..,"context":..,"timestamp":..,"msg":.., without the
// closing brace. `message` may be any text.
void begin_log_line(std::string& line, LogLevel level, std::string_view context, std::string_view message,
                    TimePoint now);

class Log {
public:
    struct Options {
        LogLevel level = LogLevel::debug;
        std::string service;         // a JSON object: name, environment, version
        bool process_facts = false;  // adds the member `debug`: process, host, memory, uptime
    };
    Log(Options options, LineWriter::Options writer, std::unique_ptr<LineTarget> target);

    // Check this first, so that suppressed lines are not formatted at all.
    bool takes(LogLevel level) const { return level <= options_.level; }

    // `members`: additional JSON members of the line's object, each preceded by a comma; their contents must already be
    // redacted.
    void write(LogLevel level, std::string_view context, std::string_view message, std::string_view members,
               TimePoint now) noexcept;

    std::uint64_t lost() const { return writer_.lost(); }

private:
    const Options options_;
    const std::string process_;  // process and host as JSON members
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    void append_process_facts(std::string& line) const;
    LineWriter writer_;
};

}  // namespace consentry
