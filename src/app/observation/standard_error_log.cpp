#include "app/observation/standard_error_log.hpp"

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>
#include <spdlog/details/os.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "app/observation/patient_descriptor.hpp"
#include "base/line_writer.hpp"
#include "base/standard_error.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr const char* logger_name = "consentry";
constexpr std::size_t waiting_bytes_max = std::size_t{1} << 20;

bool is_color_terminal() {
    return spdlog::details::os::in_terminal(stderr) && spdlog::details::os::is_color_terminal();
}

// Colors the part of a line that names the level.
std::string colored(std::string_view line, const spdlog::details::log_msg& message) {
    using enum spdlog::level::level_enum;
    const std::string_view color = message.level >= err    ? "\x1b[31m\x1b[1m"
                                   : message.level == warn ? "\x1b[33m\x1b[1m"
                                   : message.level == info ? "\x1b[32m"
                                                           : "\x1b[36m";
    const std::size_t begin = message.color_range_start;
    const std::size_t end = message.color_range_end;
    if (begin >= end || end > line.size()) return std::string(line);
    return fmt::format("{}{}{}\x1b[m{}", line.substr(0, begin), color, line.substr(begin, end - begin),
                       line.substr(end));
}

std::string line_of(spdlog::formatter& formatter, const spdlog::details::log_msg& message, bool in_color) {
    spdlog::memory_buf_t text;
    formatter.format(message, text);
    const std::string_view line(text.data(), text.size());
    return in_color ? colored(line, message) : std::string(line);
}

class StandardErrorTarget final : public LineTarget {
public:
    explicit StandardErrorTarget(bool in_color) : in_color_(in_color) {}
    std::size_t write(std::string_view lines) noexcept override { return descriptor_.write(lines); }
    std::string trouble() const override { return "standard error: " + descriptor_.trouble(); }
    std::string loss_note(std::uint64_t count) const override {
        // The line that tells the reason at once may be among the lost ones.
        const std::string reason = descriptor_.trouble();
        const std::string text = fmt::format("lines lost: {}{}{}", count, reason.empty() ? "" : "; reason: ", reason);
        spdlog::pattern_formatter formatter;
        std::string line =
            line_of(formatter, spdlog::details::log_msg(logger_name, spdlog::level::warn, text), in_color_);
        while (line.ends_with('\n')) line.pop_back();
        return line;
    }

private:
    PatientDescriptor descriptor_{STDERR_FILENO};
    const bool in_color_;
};

}  // namespace

class StandardErrorSink final : public spdlog::sinks::base_sink<std::mutex>, public Messenger {
public:
    StandardErrorSink()
        : writer_(std::make_unique<LineWriter>(
              LineWriter::Options{.name = "standard-error", .waiting_bytes_max = waiting_bytes_max},
              std::make_unique<StandardErrorTarget>(in_color_))) {}

    void take(std::string_view text) noexcept override {
        const std::lock_guard lock(mutex_);
        append(text);
    }
    std::uint64_t lost() {
        const std::lock_guard lock(mutex_);
        return writer_ ? writer_->lost() : 0;
    }
    // Writes what is queued. The writer itself may say meanwhile that it cannot: that needs no lock, and is lost.
    void close() {
        std::unique_lock lock(mutex_);
        const auto writer = std::exchange(writer_, nullptr);
        lock.unlock();
    }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        append(line_of(*formatter_, message, in_color_));
    }
    void flush_() override {}

private:
    // A message may have several lines.
    void append(std::string_view text) noexcept {
        while (writer_ && !text.empty()) writer_->append(take_part(text, '\n'));
    }

    const bool in_color_ = is_color_terminal();
    std::unique_ptr<LineWriter> writer_;  // null: closed
};

StandardErrorLog::StandardErrorLog() : former_(spdlog::default_logger()), sink_(std::make_shared<StandardErrorSink>()) {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(logger_name, sink_));
    say_through(sink_.get());
}

StandardErrorLog::~StandardErrorLog() {
    sink_->close();
    say_through(nullptr);
    spdlog::set_default_logger(former_);
}

std::uint64_t lines_lost_on_standard_error(const spdlog::logger& log) {
    std::uint64_t lost = 0;
    for (const spdlog::sink_ptr& sink : log.sinks())
        if (auto* ours = dynamic_cast<StandardErrorSink*>(sink.get())) lost += ours->lost();
    return lost;
}

}  // namespace consentry
