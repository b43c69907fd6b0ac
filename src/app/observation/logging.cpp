#include "app/observation/logging.hpp"

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/observation/patient_descriptor.hpp"
#include "app/version.hpp"
#include "base/json_values.hpp"
#include "base/redaction.hpp"
#include "base/rotating_file.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr milliseconds gather{100};  // lines are batched: one wake-up and one write for all of them

std::string note_of_loss(std::uint64_t count, const Clock& clock) {
    std::string line;
    begin_log_line(line, LogLevel::warn, "Log", fmt::format("{} log lines were lost", count), clock.now());
    return line + fmt::format(R"(,"lost":{}}})", count);
}

// Formats lines for people if requested, on the writer's thread.
class FormedLines {
public:
    explicit FormedLines(bool prettier) : prettier_(prettier) {}
    std::string_view operator()(std::string_view lines) {
        if (!prettier_) return lines;
        text_.clear();
        while (!lines.empty()) text_.append(prettier_line(take_part(lines, '\n'))).push_back('\n');
        return text_;
    }

private:
    const bool prettier_;
    std::string text_;
};

class LogFile final : public LineTarget {
public:
    LogFile(const std::filesystem::path& path, bool prettier, const Clock& clock)
        : form_(prettier), clock_(clock), file_({.path = path, .daily = true}) {}
    std::size_t write(std::string_view lines) noexcept override {
        const std::string_view formed = form_(lines);
        const std::size_t written = file_.write(formed, clock_.now());
        return written == formed.size() ? lines.size() : formed.data() == lines.data() ? written : 0;
    }
    std::string trouble() const override { return file_.trouble(); }
    std::string loss_note(std::uint64_t count) const override { return note_of_loss(count, clock_); }

private:
    FormedLines form_;
    const Clock& clock_;
    RotatingFile file_;
};

class LogDescriptor final : public LineTarget {
public:
    LogDescriptor(int descriptor, bool prettier, const Clock& clock)
        : form_(prettier), clock_(clock), descriptor_(descriptor) {}
    std::size_t write(std::string_view lines) noexcept override {
        const std::string_view formed = form_(lines);
        const std::size_t done = descriptor_.write(formed);
        return done == formed.size() ? lines.size() : formed.data() == lines.data() ? done : 0;
    }
    std::string trouble() const override { return "standard output: " + descriptor_.trouble(); }
    std::string loss_note(std::uint64_t count) const override { return note_of_loss(count, clock_); }

private:
    FormedLines form_;
    const Clock& clock_;
    PatientDescriptor descriptor_;
};

// Escapes as JSON does, except for quotes: client input must not control the terminal.
std::string escaped(std::string_view text) {
    std::string quoted;
    append_log_string(quoted, text, text.size());
    std::string out;
    for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
        const bool is_escape = quoted[i] == '\\' && (quoted[i + 1] == '"' || quoted[i + 1] == '\\');
        if (is_escape) ++i;
        out.push_back(quoted[i]);
    }
    return out;
}

std::string service_facts(const Config& config) {
    std::string out = R"({"name":)";
    append_log_string(out, config.app.name);
    out.append(R"(,"environment":)");
    append_log_string(out, text_of(config.app.environment));
    out.append(R"(,"version":)");
    append_log_string(out, program_version());
    return out + '}';
}

}  // namespace

std::unique_ptr<LineTarget> log_file(const std::filesystem::path& path, bool prettier, const Clock& clock) {
    return std::make_unique<LogFile>(path, prettier, clock);
}
std::unique_ptr<LineTarget> log_descriptor(int descriptor, bool prettier, const Clock& clock) {
    return std::make_unique<LogDescriptor>(descriptor, prettier, clock);
}

std::unique_ptr<Log> open_log(const Config& config, const Clock& clock) {
    if (!config.logger.enable) return nullptr;
    // Resolve the path now, so that a later change of the working directory does not move the log.
    auto target = config.logger.into_file
                      ? log_file(std::filesystem::absolute("logs/api.log"), config.logger.prettier, clock)
                      : log_descriptor(STDOUT_FILENO, config.logger.prettier, clock);
    return std::make_unique<Log>(Log::Options{.level = config.logger.level,
                                              .service = service_facts(config),
                                              .process_facts = config.app.environment != AppEnvironment::production},
                                 LineWriter::Options{.name = "log", .gather = gather}, std::move(target));
}

std::string prettier_line(std::string_view line) {
    namespace json = boost::json;
    json::error_code error;
    json::value value = json::parse(line, error);
    if (error || !value.is_object()) return std::string(line);
    json::object& members = value.as_object();
    const auto text = [&](std::string_view name) { return text_or_empty(members, name); };
    const json::value* time = members.if_contains("timestamp");
    const auto when = time != nullptr && time->is_int64() ? to_iso8601(from_epoch_ms(time->as_int64())) : std::string();
    const std::string begin =
        fmt::format("{} {:<7} [{}] {}", when, text("severity"), text("context"), escaped(text("msg")));
    for (const std::string_view told : {"severity", "context", "timestamp", "msg", "service", "debug"})
        members.erase(told);
    std::string out = begin;
    for (const auto& member : members)
        out.append(fmt::format(" {}={}", std::string_view(member.key()), escaped(json::serialize(member.value()))));
    return out;
}

}  // namespace consentry
