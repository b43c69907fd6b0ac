#include "http/steps/access_log.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/redaction.hpp"
#include "base/text.hpp"

namespace consentry::http {
namespace {

constexpr std::string_view automatic_context = "LoggerAutoContext";
constexpr std::string_view failure_context = "RequestFailure";
constexpr std::size_t headers_max = 50;
constexpr std::size_t header_bytes_max = 512;
constexpr std::string_view hidden = R"("[REDACTED]")";
constexpr std::size_t failure_bytes_max = 2'048;
constexpr std::size_t path_bytes_max = 256;  // of the path in the message

void add_text(std::string& out, std::string_view member, std::string_view text, std::size_t bytes_max = 1'024) {
    out.append(member);
    append_log_string(out, text, bytes_max);
}
void add_number(std::string& out, std::string_view member, std::uint64_t number) {
    out.append(member).append(fmt::format_int(number).c_str());
}
void add_header_text(std::string& out, std::string_view member, const Request& request, std::string_view name) {
    const auto value = request.header(name);
    out.append(member);
    if (value)
        append_log_text(out, *value, header_bytes_max);
    else
        out.append("null");
}

// The same clients return often, and formatting an address costs more than comparing it.
std::string_view address_text(const boost::asio::ip::address& address) {
    thread_local boost::asio::ip::address known;
    thread_local std::string text = known.to_string();
    if (address != known) {
        text = address.to_string();
        known = address;
    }
    return text;
}

// Member names must be unique: of a repeated header, only the first is logged.
class HeaderWriter {
public:
    HeaderWriter(std::string& out, std::string_view member) : out_(out) { out_.append(member).push_back('{'); }
    ~HeaderWriter() { out_.push_back('}'); }
    HeaderWriter(const HeaderWriter&) = delete;
    HeaderWriter& operator=(const HeaderWriter&) = delete;

    void add(std::string_view name, std::string_view value) {
        if (count_ == headers_max) return;
        if (!is_harmless(name)) name = redacted;
        if (was_seen(name)) return;
        if (count_ > 0) out_.push_back(',');
        see(name);
        Written& last = last_like(name, value);
        const bool is_known = last.name == name;
        if (is_known && last.value == value) {
            out_.append(last.text);
            last.misses = 0;
            return;
        }
        const std::size_t begin = out_.size();
        append_log_string(out_, name, header_bytes_max);
        out_.push_back(':');
        if (!is_known && !is_plain_header(name)) {  // hidden values are not cached
            out_.append(hidden);
            return;
        }
        append_log_text(out_, value, header_bytes_max);
        if (last.misses++ % misses_of_one_try != 0) return;
        last.name.assign(name);
        last.value.assign(value);
        last.text.assign(out_, begin);
    }

    // Adds the headers of an answer: lines of the form "name: value", each ended by CR LF. Must be called before any
    // other header is added.
    void add_lines(std::string_view lines) {
        // Answers tend to begin with the same lines, so each thread caches their formatted form.
        thread_local Beginning known;
        const std::size_t same = known.lines_in_common(lines);
        if (same == 0)
            known.learn(lines, *this);
        else
            add_rest(lines.substr(known.copy(same, lines, *this)));
    }

private:
    class Beginning {
    public:
        // Returns how many leading lines equal the cached ones.
        std::size_t lines_in_common(std::string_view lines) const {
            std::size_t count = 0;
            std::size_t begin = 0;
            for (const End& end : ends_) {
                const std::size_t length = end.line - begin;
                if (lines.substr(begin, length) != std::string_view(lines_).substr(begin, length)) break;
                begin = end.line;
                ++count;
            }
            return count;
        }
        // Writes the first `count` lines and returns their length in bytes.
        std::size_t copy(std::size_t count, std::string_view lines, HeaderWriter& to) const {
            to.out_.append(text_, 0, ends_[count - 1].text);
            std::size_t begin = 0;
            for (const End& end : std::span(ends_).first(count)) {
                if (to.count_ < headers_max) to.see(lines.substr(begin, end.name));
                begin = end.line;
            }
            return begin;
        }
        void learn(std::string_view lines, HeaderWriter& to) {
            ends_.clear();
            std::vector<End> ends;
            const std::size_t begin = to.out_.size();
            to.add_rest(lines, [&](std::size_t name, std::size_t line) {
                ends.push_back({.name = name, .line = line, .text = to.out_.size() - begin});
            });
            lines_.assign(lines);
            text_.assign(to.out_, begin);
            ends_ = std::move(ends);  // last, so that an exception above leaves the cache empty
        }

    private:
        struct End {
            std::size_t name;  // length of the name
            std::size_t line;  // end of the line in lines_
            std::size_t text;  // end of its formatted form in text_
        };
        std::string lines_;
        std::string text_;
        std::vector<End> ends_;
    };

    void add_rest(std::string_view lines, auto&&... learned) {
        const std::size_t size = lines.size();
        while (!lines.empty()) {
            const std::string_view line = lines.substr(0, lines.find("\r\n"));
            const std::size_t colon = std::min(line.find(':'), line.size());
            if (colon < line.size()) add(line.substr(0, colon), trim(line.substr(colon + 1)));
            lines.remove_prefix(std::min(line.size() + 2, lines.size()));
            (learned(colon, size - lines.size()), ...);
        }
    }
    // Hashes a name into one of 256 buckets, ignoring case. Collisions are rare.
    static std::size_t mark_of(std::string_view name) {
        const auto letter = [](char c) { return static_cast<std::size_t>(c) & 0x1F; };  // ignores case
        return name.empty() ? 0 : (name.size() * 37 + letter(name.front()) * 11 + letter(name.back())) % 256;
    }
    bool was_seen(std::string_view name) const {
        if (!marks_[mark_of(name)]) return false;
        return std::ranges::any_of(std::span(seen_).first(count_), [&](std::string_view seen) {
            return seen.size() == name.size() && equal_ignoring_case(seen, name);
        });
    }
    void see(std::string_view name) {
        marks_[mark_of(name)] = true;
        seen_[count_++] = name;
    }

    // Most headers repeat from one request to the next, so each thread caches their last formatted form.
    struct Written {
        std::string name;
        std::string value;
        std::string text;
        unsigned misses = 0;  // since the last use
    };
    // Values that never repeat are cached only once in this many misses.
    static constexpr unsigned misses_of_one_try = 16;
    static Written& last_like(std::string_view name, std::string_view value) {
        thread_local std::array<Written, 256> written;
        // Values too long to cache share one entry, which never holds a value for long.
        if (value.size() > header_bytes_max) return written[0];
        return written[1 + (mark_of(name) + value.size()) % (written.size() - 1)];
    }

    std::string& out_;
    std::array<std::string_view, headers_max> seen_;
    std::size_t count_ = 0;
    std::bitset<256> marks_;  // buckets of the names in seen_
};

void add_request(std::string& out, const Exchange& exchange, const std::string& path) {
    const RequestContext& context = exchange.context;
    const Request& request = context.request;
    const std::string query = redact_query(request.query);
    add_text(out, R"(,"req":{"id":)", context.correlation_id);
    add_text(out, R"(,"method":)", request.method_text, 32);
    add_text(out, R"(,"url":)", query.empty() ? path : path + '?' + query);
    add_text(out, R"(,"path":)", path);
    if (exchange.operation != nullptr && !exchange.operation->paths.empty())
        add_text(out, R"(,"route":)", exchange.operation->paths.front());
    else
        out.append(R"(,"route":null)");
    add_header_text(out, R"(,"userAgent":)", request, "user-agent");
    add_header_text(out, R"(,"contentType":)", request, "content-type");
    add_header_text(out, R"(,"referer":)", request, "referer");
    add_text(out, R"(,"remoteAddress":)", address_text(request.peer));
    add_number(out, R"(,"remotePort":)", request.peer_port);
    add_text(out, R"(,"ip":)", address_text(context.client));
    if (context.caller.user)
        add_text(out, R"(,"user":)", context.caller.user->text());
    else
        out.append(R"(,"user":null)");
    add_text(out, R"(,"query":)", query);
    out.append(R"(,"params":{)");
    for (std::size_t i = 0; i < context.path_params.size(); ++i) {
        const auto& [name, value] = context.path_params[i];
        if (i > 0) out.push_back(',');
        append_log_string(out, name);
        out.push_back(':');
        append_log_string(out, is_secret_name(name) ? std::string(redacted) : redact_path(value));
    }
    out.push_back('}');
    {
        HeaderWriter headers(out, R"(,"headers":)");
        for (const auto& [name, value] : request.headers) headers.add(name, value);
    }
    out.append(R"(,"body":)");
    if (request.body.empty())
        out.append("null");
    else
        append_redacted_json(out, request.body);
    out.push_back('}');
}

void add_response(std::string& out, const Exchange& exchange, std::string_view path) {
    const Response& response = exchange.response;
    add_number(out, R"(,"res":{"httpCode":)", response.status);
    add_number(out, R"(,"contentLength":)", response.body_bytes());
    add_number(out, R"(,"responseTime":)", static_cast<std::uint64_t>(exchange.took.count() / 1'000));
    {
        HeaderWriter headers(out, R"(,"headers":)");
        headers.add_lines(response.headers);
    }
    out.append(R"(,"body":)");
    // The metadata repeats the path, which may hold a secret; its other members are the service's own.
    const bool path_is_shown = path == exchange.context.request.path;
    if (response.body.empty())
        out.append("null");
    else
        append_redacted_json(out, response.body,
                             std::string_view(response.body)
                                 .substr(response.body.size() - (path_is_shown ? response.metadata_bytes : 0)));
    out.push_back('}');
}

void add_error(std::string& out, const Exchange& exchange) {
    if (exchange.error == nullptr) return;
    add_text(out, R"(,"err":{"type":)", exchange.error->name);
    add_number(out, R"(,"code":)", static_cast<std::uint64_t>(exchange.error->service_code));
    add_number(out, R"(,"statusCode":)", exchange.error->http_status);
    if (!exchange.failure.empty()) {
        out.append(R"(,"message":)");
        append_log_text(out, exchange.failure, failure_bytes_max);
    }
    out.push_back('}');
}

LogLevel level_of(unsigned status, bool automatic) {
    if (status >= 500) return LogLevel::error;
    if (!automatic) return LogLevel::verbose;
    return status >= 400 ? LogLevel::warn : LogLevel::info;
}

}  // namespace

std::vector<std::string> default_log_exclusions(const std::vector<std::string>& roots) {
    std::vector<std::string> out{"/api/hello", "/api/health", "/metrics", "/favicon.ico", "/docs", "/docs/*", "/"};
    for (const std::string& root : roots)
        for (const std::string_view path :
             {"/hello", "/public/hello", "/health", "/health/*", "/system/health", "/system/health/*"})
            out.push_back(root + std::string(path));
    return out;
}

bool is_excluded(std::string_view path, const std::vector<std::string>& excluded) {
    return std::ranges::any_of(excluded, [&](std::string_view pattern) {
        if (!pattern.ends_with('*')) return path.size() == pattern.size() && equal_ignoring_case(path, pattern);
        pattern.remove_suffix(1);
        return path.size() > pattern.size() && equal_ignoring_case(path.substr(0, pattern.size()), pattern);
    });
}

void AccessLog::on_answer(const Exchange& exchange) noexcept {
    const unsigned status = exchange.response.status;
    const bool automatic = options_.automatic && !is_excluded(exchange.context.request.path, options_.excluded);
    const bool broke_off = exchange.broke_off();
    if (status < 500 && !broke_off && !automatic && (options_.automatic || status < 400)) return;
    const LogLevel level = broke_off ? LogLevel::error : level_of(status, automatic);
    if (!log_.takes(level)) return;
    try {
        const RequestContext& context = exchange.context;
        thread_local std::string members;
        members.clear();
        add_text(members, R"(,"requestId":)", context.request_id);
        add_text(members, R"(,"correlationId":)", context.correlation_id);
        if (context.trace) add_text(members, R"(,"traceId":)", context.trace->trace_id);
        add_error(members, exchange);
        const std::string path = redact_path(context.request.path);
        add_request(members, exchange, path);
        add_response(members, exchange, path);

        thread_local std::string message;
        message.assign(context.request.method_text.substr(0, 32)).append(" ");
        message.append(path, 0, path_bytes_max).append(" ");
        message.append(fmt::format_int(status).c_str());
        log_.write(level, automatic ? automatic_context : failure_context, message, members, context.now);
    } catch (...) {
        // Out of memory: drops the log line, keeps the answer.
    }
}

}  // namespace consentry::http
