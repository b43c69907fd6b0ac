#include "base/log.hpp"

#include <array>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "base/process.hpp"
#include "base/redaction.hpp"

namespace consentry {
namespace {

constexpr std::chrono::seconds facts_age_max{1};  // of memory and uptime: reading them costs more than writing a line

std::string process_members() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    std::string out = fmt::format(R"("pid":{},"hostname":)", ::getpid());
    append_log_string(out, host.data());
    return out;
}

std::string_view severity_of(LogLevel level) {
    switch (level) {
        case LogLevel::error:
            return "ERROR";
        case LogLevel::warn:
            return "WARNING";
        case LogLevel::info:
            return "INFO";
        case LogLevel::verbose:
        case LogLevel::debug:
            return "DEBUG";
    }
    return "INFO";
}

}  // namespace

void begin_log_line(std::string& line, LogLevel level, std::string_view context, std::string_view message,
                    TimePoint now) {
    line.append(R"({"severity":")").append(severity_of(level)).append(R"(","context":")").append(context);
    line.append(R"(","timestamp":)").append(fmt::format_int(epoch_ms(now)).c_str()).append(R"(,"msg":)");
    append_log_string(line, message);
}

Log::Log(Options options, LineWriter::Options writer, std::unique_ptr<LineTarget> target)
    : options_(std::move(options)), process_(process_members()), writer_(std::move(writer), std::move(target)) {}

void Log::write(LogLevel level, std::string_view context, std::string_view message, std::string_view members,
                TimePoint now) noexcept {
    if (!takes(level)) return;
    try {
        thread_local std::string line;
        line.clear();
        begin_log_line(line, level, context, message, now);
        line.append(R"(,"service":)").append(options_.service);
        if (options_.process_facts) append_process_facts(line);
        line.append(members).push_back('}');
        writer_.append(line);
    } catch (...) {
        // Out of memory: lose the line, not the request.
    }
}

void Log::append_process_facts(std::string& line) const {
    thread_local std::chrono::steady_clock::time_point made{};
    thread_local std::string text;
    const auto now = std::chrono::steady_clock::now();
    if (text.empty() || now - made > facts_age_max) {
        made = now;
        text = fmt::format(R"(,"debug":{{{},"memory":{{"rss":{}}},"uptime":{}}})", process_,
                           resident_bytes() / (1024 * 1024),
                           std::chrono::duration_cast<std::chrono::seconds>(now - begin_).count());
    }
    line.append(text);
}

}  // namespace consentry
