#include "app/observation/error_tracking.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <pthread.h>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.hpp"
#include "base/redaction.hpp"
#include "base/uuid.hpp"

namespace consentry {
namespace {

constexpr std::size_t waiting_max = 100;
constexpr std::size_t failure_bytes_max = 2'048;
constexpr unsigned too_many_requests = 429;
constexpr std::chrono::seconds default_pause{60};  // default of Sentry's clients if the server does not say how long
constexpr std::chrono::seconds pause_max{3600};

// The protocol's identifiers are 32 hexadecimal digits.
std::string hex_id(const Uuid& uuid) {
    std::string text = uuid.text();
    std::erase(text, '-');
    return text;
}

std::string event_of(const http::Exchange& exchange, const std::string& event_id, std::string_view release,
                     std::string_view environment) {
    const auto& context = exchange.context;
    std::string out = fmt::format(R"({{"event_id":"{}","timestamp":"{}","platform":"native","level":"error")", event_id,
                                  to_iso8601(context.now));
    const auto add = [&](std::string_view member, std::string_view text) {
        out.append(member);
        append_log_text(out, text, failure_bytes_max);
    };
    const std::string_view kind = exchange.error != nullptr ? exchange.error->name : "unknown";
    const std::string_view route = exchange.operation != nullptr ? std::string_view(exchange.operation->id) : "unknown";
    add(R"(,"release":)", release);
    add(R"(,"environment":)", environment);
    add(R"(,"transaction":)", route);
    add(R"(,"exception":{"values":[{"type":)", kind);
    add(R"(,"value":)", exchange.failure.empty() ? kind : exchange.failure);
    out.append("}]}");
    add(R"(,"request":{"method":)", context.request.method_text.substr(0, 32));
    add(R"(,"url":)", redact_path(context.request.path));
    add(R"(},"tags":{"status":)", fmt::format_int(exchange.response.status).c_str());
    add(R"(,"request_id":)", context.request_id);
    add(R"(,"correlation_id":)", context.correlation_id);
    out.push_back('}');
    if (context.trace) {
        add(R"(,"contexts":{"trace":{"trace_id":)", context.trace->trace_id);
        add(R"(,"span_id":)", context.trace->parent_id);
        out.append("}}");
    }
    return out + '}';
}

// What an operator has turned off, and versions of HTTP that a client makes up, are no failures.
bool is_failure(const http::Exchange& exchange) {
    const bool is_intended =
        exchange.error == &errors::feature_flag_unavailable || exchange.error == &errors::version_not_supported;
    return exchange.broke_off() || (exchange.response.status >= 500 && !is_intended);
}

milliseconds pause_of(const net::HttpResponse& answer) {
    const auto header = answer.header("retry-after").value_or("");
    std::int64_t given = default_pause.count();
    std::from_chars(header.data(), header.data() + header.size(), given);
    return std::chrono::seconds{std::clamp<std::int64_t>(given, 1, pause_max.count())};
}

}  // namespace

ErrorTracking::ErrorTracking(Options options)
    : options_(std::move(options)),
      client_({.user_agent = "consentry/" + options_.release, .ca_file = options_.ca_file, .plain_http = true}),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

ErrorTracking::~ErrorTracking() = default;

void ErrorTracking::on_answer(const http::Exchange& exchange) noexcept {
    if (!is_failure(exchange)) return;
    try {
        {
            // Check for room before building the report: during an outage most reports are dropped.
            const std::lock_guard lock(mutex_);
            if (queue_.size() >= waiting_max) {
                lost_.fetch_add(1, std::memory_order_relaxed);
                return;
            }
        }
        Report report{.event_id = hex_id(Uuid::v7(exchange.context.now)), .event = {}, .traceparent = {}};
        // The report is a span of its own in the request's trace; the random half of its id is the span id.
        if (exchange.context.trace)
            report.traceparent = exchange.context.trace->traceparent(report.event_id.substr(16));
        report.event = event_of(exchange, report.event_id, options_.release, options_.environment);
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(report));
        }
        ready_.notify_one();
    } catch (...) {
        lost_.fetch_add(1, std::memory_order_relaxed);
    }
}

void ErrorTracking::work(const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "error-tracking");
    std::unique_lock lock(mutex_);
    while (ready_.wait(lock, stop, [this] { return !queue_.empty(); })) {
        if (stop.stop_requested()) return;
        const Report report = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        const milliseconds pause = send(report, stop);
        lock.lock();
        // Honor the server's request to pause: reports that arrive meanwhile fill the queue and are then dropped.
        if (pause.count() > 0) ready_.wait_for(lock, stop, pause, [] { return false; });
    }
}

milliseconds ErrorTracking::send(const Report& report, const std::stop_token& stop) {
    net::HttpRequest request;
    request.method = "POST";
    request.url = options_.dsn.envelope_url;
    request.timeout = options_.timeout;
    request.headers = {
        {"Content-Type", "application/x-sentry-envelope"},
        {"X-Sentry-Auth", fmt::format("Sentry sentry_version=7, sentry_client=consentry/{}, sentry_key={}",
                                      options_.release, options_.dsn.public_key)}};
    if (!report.traceparent.empty()) request.headers.emplace_back("traceparent", report.traceparent);
    request.body = fmt::format("{{\"event_id\":\"{}\"}}\n{{\"type\":\"event\",\"length\":{}}}\n{}\n", report.event_id,
                               report.event.size(), report.event);
    try {
        const net::HttpResponse answer = client_.fetch(request, stop);
        if (answer.status >= 200 && answer.status < 300) {
            sent_.fetch_add(1, std::memory_order_relaxed);
            trouble_.clear();
            return milliseconds{0};
        }
        drop(fmt::format("status {}", answer.status));
        return answer.status == too_many_requests ? pause_of(answer) : milliseconds{0};
    } catch (const std::exception& error) {
        drop(error.what());
        return milliseconds{0};
    }
}

void ErrorTracking::drop(std::string_view why) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    std::string shown = redact_text(why);
    if (trouble_.text().empty()) spdlog::warn("SENTRY_DSN: error reports are being lost: {}", shown);
    trouble_.set(std::move(shown));
}

}  // namespace consentry
