#include "app/observation/security_event_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/redaction.hpp"
#include "base/rotating_file.hpp"

namespace consentry {
namespace {

constexpr unsigned old_files_max = 10;
constexpr std::size_t user_agent_bytes_max = 256;
constexpr std::size_t detail_max = 16;

void add(std::string& line, std::string_view member, std::string_view text, std::size_t bytes_max = 256) {
    if (text.empty()) return;
    line.append(member);
    append_log_string(line, text, bytes_max);
}

std::string line_of(const SecurityEvent& event, TimePoint now) {
    std::string line = fmt::format(R"({{"time":"{}","event":)", to_iso8601(now));
    append_log_string(line, event.name);
    add(line, R"(,"outcome":)", text_of(event.outcome));
    add(line, R"(,"actor":)", event.actor);
    add(line, R"(,"target":)", event.target);
    if (event.origin != nullptr) {
        add(line, R"(,"source":)", event.origin->address);
        add(line, R"(,"userAgent":)", event.origin->user_agent, user_agent_bytes_max);
        add(line, R"(,"requestId":)", event.origin->request_id);
        add(line, R"(,"correlationId":)", event.origin->correlation_id);
        add(line, R"(,"traceId":)", event.origin->trace_id);
    }
    if (!event.detail.empty()) {
        line.append(R"(,"detail":)");
        const std::size_t count = std::min(event.detail.size(), detail_max);
        for (std::size_t i = 0; i < count; ++i) {
            const auto& [name, value] = event.detail[i];
            line.push_back(i == 0 ? '{' : ',');
            append_log_string(line, name);
            line.push_back(':');
            // Events contain no secrets by design; redact anyway, in case of a programming error.
            append_log_text(line, is_secret_name(name) ? redacted : value, 256);
        }
        line.push_back('}');
    }
    return line + '}';
}

class EventFile final : public LineTarget {
public:
    EventFile(const std::filesystem::path& data_directory, std::size_t bytes_max, const Clock& clock)
        : clock_(clock),
          file_({.path = security_event_folder(data_directory) / "events.log",
                 .file_mode = 0600,
                 .folder_mode = 0700,
                 .bytes_max = bytes_max / (old_files_max + 1),
                 .old_files_max = old_files_max}) {}
    std::size_t write(std::string_view lines) noexcept override { return file_.write(lines, clock_.now()); }
    std::string trouble() const override { return file_.trouble(); }
    std::string loss_note(std::uint64_t count) const override {
        return line_of(
            {.name = "securityEvents.lost", .outcome = Outcome::failure, .detail = {{"count", std::to_string(count)}}},
            clock_.now());
    }

private:
    const Clock& clock_;
    RotatingFile file_;
};

}  // namespace

std::filesystem::path security_event_folder(const std::filesystem::path& data_directory) {
    return data_directory / "security";
}

SecurityEventFile::SecurityEventFile(const std::filesystem::path& data_directory, std::size_t bytes_max,
                                     const Clock& clock)
    : clock_(clock),
      writer_({.name = "security-events"},
              std::make_unique<EventFile>(std::filesystem::absolute(data_directory), bytes_max, clock)) {}

void SecurityEventFile::record(const SecurityEvent& event) noexcept {
    try {
        writer_.append(line_of(event, clock_.now()));
    } catch (...) {
        // Out of memory: the only loss that cannot be counted. The request continues.
    }
}

}  // namespace consentry
