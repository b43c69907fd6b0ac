// The log of the service (LOGGER_*): one JSON object per line. Off unless the operator switches it on; what the program
// has to tell its operator in any case goes to standard error by other means.
//
// Any thread may write; a thread of the log's own does the rest (line_writer.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/line_writer.hpp"

namespace consentry {

enum class LogLevel : std::uint8_t { error, warn, info, verbose, debug };

// "WARNING": the name of a level in a line.
std::string_view severity_of(LogLevel level);

// The lines' common beginning: appends {"severity":..,"context":..,"timestamp":..,"msg":..} without its brace at the
// end. `message` may be any text.
void begin_log_line(std::string& line, LogLevel level, std::string_view context, std::string_view message,
                    TimePoint now);

class Log {
public:
    struct Options {
        LogLevel level = LogLevel::debug;
        std::string service;         // a JSON object: name, environment, version
        bool process_facts = false;  // the member `debug`: process, host, memory, uptime
    };
    Log(Options options, LineWriter::Options writer, std::unique_ptr<LineTarget> target);

    // Asked first: nothing is put together for a line that nobody wants.
    bool takes(LogLevel level) const { return level <= options_.level; }

    // `members`: more members of the line's object, as JSON, each with a comma before it; what is in them is redacted.
    void write(LogLevel level, std::string_view context, std::string_view message, std::string_view members,
               TimePoint now) noexcept;

    std::uint64_t lost() const { return writer_.lost(); }

private:
    const Options options_;
    const std::string process_;  // process and host as members
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    void append_process_facts(std::string& line) const;
    LineWriter writer_;
};

}  // namespace consentry
