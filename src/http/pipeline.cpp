#include "http/pipeline.hpp"

#include <algorithm>
#include <exception>

#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace consentry::http {
namespace {

constexpr std::size_t correlation_id_bytes_max = 64;

bool is_correlation_id(std::string_view text) {
    return !text.empty() && text.size() <= correlation_id_bytes_max && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    });
}

// Ids from outside are taken only in their strict form (LOG-3): they go to headers, logs and other services.
std::string request_id_of(const Request& request, TimePoint now) {
    if (const auto sent = request.header("x-request-id"); sent && Uuid::parse(*sent)) return std::string(*sent);
    return Uuid::v7(now).text();
}

std::string correlation_id_of(const Request& request, const std::string& request_id) {
    if (const auto sent = request.header("x-correlation-id"); sent && is_correlation_id(*sent))
        return std::string(*sent);
    return request_id;
}

}  // namespace

struct Pipeline::Exchange {
    RequestContext context;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    std::string allow{};  // of a 405
};

Pipeline::Pipeline(const Router& router, const Locales& locales, const Clock& clock, PipelineOptions options)
    : router_(router), locales_(locales), clock_(clock), options_(std::move(options)) {
    for (const auto& operation : router.operations())
        for (std::size_t i = 0; i < language_names.size(); ++i)
            operation->messages[i] = locales.text(static_cast<Language>(i), operation->message_key);
    // Answers are data for programs: never sniffed, framed, cached by default, or used as a document (WEB-7).
    constant_headers_ = fmt::format(
        "x-timezone: {}\r\nx-version: {}\r\nx-repo-version: {}\r\nX-Content-Type-Options: nosniff\r\n"
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n",
        header_safe(options_.timezone), header_safe(options_.api_version), header_safe(options_.repo_version));
}

boost::asio::awaitable<void> Pipeline::respond(const Request& request, Response& response) {
    Exchange exchange{.context = {.request = request, .now = clock_.now()}};
    auto& context = exchange.context;
    context.request_id = request_id_of(request, context.now);
    context.correlation_id = correlation_id_of(request, context.request_id);
    context.language = options_.default_language;
    if (const auto wanted = request.header("x-custom-lang"))
        context.language = find_language(*wanted).value_or(options_.default_language);

    std::string failure;
    try {
        co_await run(exchange, response);
        co_return;
    } catch (const Unavailable& outage) {
        failure = outage.what();
        answer_error(exchange,
                     Error{errors::service_unavailable, {{"retryAfterSeconds", outage.retry_after_seconds()}}},
                     response);
    } catch (const boost::system::system_error& error) {
        // The request's deadline: the connection asks refuse() for the answer.
        if (error.code() == boost::asio::error::operation_aborted) throw;
        failure = error.what();
        answer_error(exchange, Error{errors::unknown}, response);
    } catch (const std::exception& error) {
        failure = error.what();
        answer_error(exchange, Error{errors::unknown}, response);
    }
    if (options_.on_failure) options_.on_failure(context.request_id, failure);
}

boost::asio::awaitable<void> Pipeline::run(Exchange& exchange, Response& response) {
    auto& context = exchange.context;
    Router::Match match = router_.find(context.request.method, context.request.path);
    if (match.operation == nullptr) {
        exchange.allow = std::move(match.allow);
        answer_error(exchange, Error{match.path_known ? errors::method_not_allowed : errors::route_not_found},
                     response);
        co_return;
    }
    context.path_params = std::move(match.params);
    Result<Reply> reply = co_await match.operation->handler->run(context);
    if (reply)
        answer_reply(exchange, *match.operation, std::move(*reply), response);
    else
        answer_error(exchange, reply.error(), response);
}

void Pipeline::refuse(const Request& request, const ErrorKind& kind, Response& response) noexcept {
    try {
        Exchange exchange{.context = {.request = request, .now = clock_.now()}};
        exchange.context.request_id = request_id_of(request, exchange.context.now);
        exchange.context.correlation_id = correlation_id_of(request, exchange.context.request_id);
        exchange.context.language = options_.default_language;
        if (const auto wanted = request.header("x-custom-lang"))
            exchange.context.language = find_language(*wanted).value_or(options_.default_language);
        answer_error(exchange, Error{kind}, response);
    } catch (...) {
        response.clear();
        response.status = kind.http_status;
    }
}

AnswerFacts Pipeline::facts(const Exchange& exchange) const {
    const auto& context = exchange.context;
    return {.language = context.language,
            .now = context.now,
            .timezone = options_.timezone,
            .path = context.request.path,
            .version = options_.api_version,
            .repo_version = options_.repo_version,
            .request_id = context.request_id,
            .correlation_id = context.correlation_id};
}

void Pipeline::common_headers(const Exchange& exchange, Response& response) const {
    const auto& context = exchange.context;
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - exchange.begin);
    const auto line = [&](std::string_view name, std::string_view value) { response.add_header(name, value); };
    response.headers.reserve(constant_headers_.size() + 512);
    response.headers.append(constant_headers_);
    line("x-custom-lang", name_of(context.language));
    line("x-request-id", context.request_id);
    line("x-correlation-id", context.correlation_id);
    line("x-timestamp", fmt::format_int(epoch_ms(context.now)).c_str());
    response.headers.append("X-Response-Time: ").append(fmt::format_int(took.count() / 1'000).c_str()).append(".");
    const auto micros = fmt::format_int(took.count() % 1'000);
    response.headers.append(3 - micros.size(), '0').append(micros.c_str()).append("ms\r\n");
}

void Pipeline::answer_reply(const Exchange& exchange, const Operation& operation, Reply reply,
                            Response& response) const {
    response.status = reply.no_content ? 204 : operation.success_status;
    common_headers(exchange, response);
    response.headers.append(reply.extra_headers);
    response.add_header("Cache-Control", reply.cache_control.empty() ? "no-store" : reply.cache_control);
    if (reply.no_content) return;
    if (!reply.content_type.empty()) {
        response.add_header("Content-Type", reply.content_type);
        response.body = std::move(reply.data);
        return;
    }
    response.headers.append("Content-Type: application/json; charset=utf-8\r\n");
    const std::string_view message = operation.messages[static_cast<std::size_t>(exchange.context.language)];
    write_success(response.body, response.status, message, reply, facts(exchange));
}

void Pipeline::answer_error(const Exchange& exchange, const Error& error, Response& response) const {
    response.clear();
    response.status = error.kind().http_status;
    common_headers(exchange, response);
    response.headers.append("Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n");
    if (const auto* wait = error.data().if_contains("retryAfterSeconds"); wait != nullptr && wait->is_int64())
        response.add_header("Retry-After", std::to_string(wait->get_int64()));
    if (!exchange.allow.empty()) response.add_header("Allow", exchange.allow);
    if (error.kind().http_status == 401) response.add_header("WWW-Authenticate", "Bearer");
    write_error(response.body, error, locales_, facts(exchange));
}

}  // namespace consentry::http
