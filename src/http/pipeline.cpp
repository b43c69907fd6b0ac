#include "http/pipeline.hpp"

#include <algorithm>
#include <exception>

#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/errors.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "http/media_type.hpp"
#include "http/steps/accept.hpp"
#include "http/steps/client_address.hpp"
#include "http/steps/content_coding.hpp"
#include "http/upload.hpp"

namespace consentry::http {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t correlation_id_bytes_max = 64;
constexpr std::string_view all_methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
// One year, including subdomains (RFC 6797). Browsers ignore it over plain http.
constexpr std::string_view strict_transport = "Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n";
constexpr std::string_view inert_document = "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";
constexpr std::string_view not_kept = "Cache-Control: no-store\r\n";

bool is_correlation_id(std::string_view text) {
    return !text.empty() && text.size() <= correlation_id_bytes_max &&
           std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

// External ids are accepted only in strict form (LOG-3), because they appear in headers, logs and other services.
std::string request_id_of(const Request& request, TimePoint now) {
    if (const auto sent = request.header("x-request-id"); sent && Uuid::parse(*sent)) return std::string(*sent);
    return Uuid::v7(now).text();
}

std::string correlation_id_of(const Request& request, const std::string& request_id) {
    if (const auto sent = request.header("x-correlation-id"); sent && is_correlation_id(*sent))
        return std::string(*sent);
    return request_id;
}

// The media types of an Upload. Anything else is refused without reading it.
bool is_table_or_form(const Request& request) {
    const std::string_view type = request.header("content-type").value_or("");
    const std::string_view media = media_type_of(type);
    return equal_ignoring_case(media, "multipart/form-data") || equal_ignoring_case(media, "text/csv");
}

// Without a policy of its own, a document is one that does nothing.
void add_policy(std::string_view policy, Response& response) {
    if (policy.empty())
        response.headers.append(inert_document);
    else
        response.add_header("Content-Security-Policy", policy);
}

}  // namespace

// The state of a request in progress.
struct Pipeline::Walk {
    RequestContext context;
    steady_clock::time_point begin = steady_clock::now();
    std::optional<Admission> admission{};
    std::string allow{};  // of a 405
    const ErrorKind* error = nullptr;
    std::string failure{};
    bool may_compress = false;
    bool changed_nothing = false;
};

Pipeline::Pipeline(const Router& router, const Locales& locales, const Clock& clock, PipelineOptions options)
    : router_(router), locales_(locales), clock_(clock), options_(std::move(options)) {
    for (const auto& operation : router.operations())
        for (std::size_t i = 0; i < language_names.size(); ++i)
            operation->messages[i] = locales.text(static_cast<Language>(i), operation->message_key);
    // Answers are data for programs: browsers must not sniff them, frame them, leak them as a referrer, or expose them
    // to other origins without permission (WEB-7).
    constant_headers_ = fmt::format(
        "x-timezone: {}\r\nx-version: {}\r\nx-repo-version: {}\r\nX-Content-Type-Options: nosniff\r\n"
        "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n",
        header_safe(options_.timezone), header_safe(options_.api_version), header_safe(options_.repo_version));
}

Pipeline::Walk Pipeline::begin(const Request& request) const {
    Walk walk{.context = {.request = request, .now = clock_.now()}};
    auto& context = walk.context;
    context.request_id = request_id_of(request, context.now);
    context.correlation_id = correlation_id_of(request, context.request_id);
    context.language = options_.default_language;
    if (const auto header = request.header("x-custom-lang")) {
        const auto wanted = find_language(header->substr(0, header->find('-')));  // "de-DE" means "de"
        const auto& spoken = options_.languages;
        if (wanted && (spoken.empty() || std::ranges::find(spoken, *wanted) != spoken.end()))
            context.language = *wanted;
    }
    if (const auto trace = request.header("traceparent")) context.trace = TraceContext::parse(*trace);
    const Client client = client_of(request, options_.trusted_proxies);
    context.client = client.address;
    context.secure = client.secure;
    context.through_stranger = client.through_stranger;
    context.flag_gate = options_.flag_gate;
    return walk;
}

boost::asio::awaitable<void> Pipeline::respond(const Request& request, Response& response) {
    Walk walk = begin(request);
    try {
        co_await run(walk, response);
    } catch (const Unavailable& outage) {
        walk.failure = outage.what();
        answer_error(walk, Error{errors::service_unavailable, {{"retryAfterSeconds", outage.retry_after_seconds()}}},
                     response);
    } catch (const boost::system::system_error& error) {
        const bool is_canceled = error.code() == boost::asio::error::operation_aborted;
        const bool is_late = is_canceled && request.time != nullptr && request.time->is_over();
        if (is_canceled && !is_late) throw;  // the client is gone
        if (!is_late) walk.failure = error.what();
        answer_error(walk, Error{is_late ? errors::timeout : errors::unknown}, response);
        response.close = is_late;  // as after every 408 (RFC 9110 section 15.5.9)
    } catch (const std::exception& error) {
        walk.failure = error.what();
        answer_error(walk, Error{errors::unknown}, response);
    }
    finish(std::move(walk), response);
}

boost::asio::awaitable<void> Pipeline::run(Walk& walk, Response& response) {
    auto& context = walk.context;
    const Request& request = context.request;
    Router::Match match = router_.find(request.method, request.path);
    context.operation = match.operation;
    if (request.method == Method::options && match.operation == nullptr && (match.path_known || request.path == "*")) {
        answer_options(walk, match.path_known ? std::string_view(match.allow) : all_methods, response);
        co_return;
    }
    if (options_.rate_limit != nullptr && options_.rate_limit->is_on()) {
        const std::string_view counted = match.operation != nullptr ? std::string_view(match.operation->id) : "unknown";
        walk.admission = co_await options_.rate_limit->admit(counted, context.client);
        if (!walk.admission->admitted) {
            answer_error(walk, retry_later(errors::too_many_requests, walk.admission->wait), response);
            co_return;
        }
    }
    if (match.operation == nullptr) {
        // A method that no endpoint supports gets 405 whatever the path.
        const bool is_method = match.path_known || request.method == Method::other;
        walk.allow = match.path_known ? std::move(match.allow) : std::string(all_methods);
        answer_error(walk,
                     is_method ? Error{errors::method_not_allowed, boost::json::object{{"methods", walk.allow}}}
                               : Error{errors::route_not_found},
                     response);
        co_return;
    }
    const Operation& operation = *match.operation;
    context.path_params = std::move(match.params);
    for (Gate* gate : options_.gates) {
        if (!gate->concerns(context, operation)) continue;
        const Result<void> admitted = co_await gate->admit(context, operation);
        if (!admitted) {
            answer_error(walk, admitted.error(), response);
            co_return;
        }
    }
    Result<Reply> reply = co_await operation.handler->run(context);
    if (!reply) {
        answer_error(walk, reply.error(), response);
        co_return;
    }
    // Produces the first piece before the head is sent, so that an immediate failure still gets an error answer.
    if (reply->stream && request.method != Method::head) {
        if (auto first = co_await reply->stream())
            reply->data = std::move(*first);
        else
            reply->stream = nullptr;
    }
    answer_reply(walk, operation, std::move(*reply), response);
}

std::size_t Pipeline::upload_bytes_max(const Request& request) const noexcept {
    try {
        const Operation* operation = router_.find(request.method, request.path).operation;
        if (operation == nullptr) return 0;
        if (operation->takes_file_body) return file_body_bytes_max;
        return operation->takes_upload && is_table_or_form(request) ? http::upload_bytes_max : 0;
    } catch (...) {
        return 0;
    }
}

void Pipeline::refuse(const Request& request, const ErrorKind& kind, Response& response) noexcept {
    try {
        Walk walk = begin(request);
        walk.context.operation = router_.find(request.method, request.path).operation;  // for the observers
        const bool later = kind.http_status == 503;
        answer_error(walk, later ? retry_later(kind, std::chrono::seconds{1}) : Error{kind}, response);
        finish(std::move(walk), response);
    } catch (...) {
        response.clear();
        response.status = kind.http_status;
    }
}

AnswerFacts Pipeline::facts(const Walk& walk) const {
    const auto& context = walk.context;
    return {.language = context.language,
            .now = context.now,
            .timezone = options_.timezone,
            .path = context.request.path,
            .version = options_.api_version,
            .repo_version = options_.repo_version,
            .request_id = context.request_id,
            .correlation_id = context.correlation_id};
}

bool Pipeline::is_at_guarded_host(const RequestContext& context) const {
    const bool is_below = !options_.guarded_root.empty() && context.request.path.starts_with(options_.guarded_root);
    // A request whose first line was refused may have been meant for either.
    return is_below || context.request.path.empty() ||
           (context.operation != nullptr && context.operation->at_guarded_host);
}

void Pipeline::common_headers(const Walk& walk, Response& response) const {
    const auto& context = walk.context;
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - walk.begin);
    const auto line = [&](std::string_view name, std::string_view value) { response.add_header(name, value); };
    response.headers.reserve(constant_headers_.size() + 768);
    response.headers.append(constant_headers_);
    if ((context.secure || options_.is_https) && !is_at_guarded_host(context))
        response.headers.append(strict_transport);
    line("x-custom-lang", name_of(context.language));
    line("x-request-id", context.request_id);
    line("x-correlation-id", context.correlation_id);
    response.headers.append("x-timestamp: ");
    append_number(response.headers, epoch_ms(context.now));
    response.headers.append("\r\nX-Response-Time: ");
    append_number(response.headers, took.count() / 1'000);
    // Adds 1000 to get three digits, then turns the leading 1 into the decimal point: "1042" becomes ".042".
    const std::size_t point = response.headers.size();
    append_number(response.headers, 1'000 + took.count() % 1'000);
    response.headers[point] = '.';
    response.headers.append("ms\r\n");
    if (walk.admission) options_.rate_limit->append_headers(*walk.admission, response.headers);
}

void Pipeline::answer_options(Walk& walk, std::string_view allow, Response& response) const {
    response.status = 204;
    common_headers(walk, response);
    response.add_header("Allow", allow);
    response.headers.append(not_kept);
}

void Pipeline::answer_reply(Walk& walk, const Operation& operation, Reply reply, Response& response) const {
    walk.error = reply.refusal;
    walk.changed_nothing = reply.changed_nothing;
    response.vary = reply.vary;
    response.status = reply.no_content ? 204 : reply.status != 0 ? reply.status : operation.success_status;
    common_headers(walk, response);
    response.headers.append(walk.context.answer_headers).append(reply.extra_headers);
    add_policy(reply.content_security_policy, response);
    if (reply.cache_control.empty())
        response.headers.append(not_kept);
    else
        response.add_header("Cache-Control", reply.cache_control);
    if (reply.no_content) return;
    if (!reply.content_type.empty()) return answer_whole(walk, operation, std::move(reply), response);
    response.headers.append("Content-Type: application/json; charset=utf-8\r\n");
    const std::string_view message = operation.messages[static_cast<std::size_t>(walk.context.language)];
    response.metadata_bytes = write_success(response.body, response.status, message, reply, facts(walk));
    plan_compression(walk, operation, response.body.size(), response);
}

void Pipeline::answer_whole(Walk& walk, const Operation& operation, Reply reply, Response& response) {
    // All that a 304 shares with its 200 comes first (RFC 9110 section 15.4.5).
    if (!reply.content_encoding.empty())
        response.vary.accept_encoding = true;
    else if (!reply.cache_control.contains("no-transform"))  // RFC 9111 section 5.2.2.6
        plan_compression(walk, operation, reply.data.size(), response);
    if (!reply.etag.empty()) {
        response.add_header("ETag", reply.etag);
        const auto known = walk.context.request.header("if-none-match");
        if (known && names_tag(*known, reply.etag)) {
            response.status = 304;
            walk.may_compress = false;
            return;
        }
    }
    if (!reply.content_encoding.empty()) response.add_header("Content-Encoding", reply.content_encoding);
    response.add_header("Content-Type", reply.content_type);
    response.body = std::move(reply.data);
    if (reply.stream) response.stream.emplace(std::move(reply.stream));
}

void Pipeline::plan_compression(Walk& walk, const Operation& operation, std::size_t body_bytes, Response& response) {
    walk.may_compress = operation.compressible && body_bytes >= compressed_from_bytes;
    if (walk.may_compress) response.vary.accept_encoding = true;
}

void Pipeline::answer_error(Walk& walk, const Error& error, Response& response) const {
    const ErrorKind& kind = error.kind();
    walk.error = &kind;
    walk.may_compress = false;
    response.clear();
    response.status = kind.http_status;
    if (options_.error_pages != nullptr && options_.error_pages->concerns(walk.context))
        return answer_error_page(walk, error, response);
    common_headers(walk, response);
    response.headers.append(inert_document).append(not_kept);
    response.headers.append(retry_after_line(error));
    if (const auto* types = error.data().if_contains("mediaTypes"); types != nullptr && kind.http_status == 415)
        response.add_header("Accept", types->get_string());
    if (kind.http_status == 405) response.add_header("Allow", walk.allow);
    if (kind.http_status == 401) response.add_header("WWW-Authenticate", "Bearer");
    if (prefers_problem(walk.context.request)) {
        response.headers.append("Content-Type: application/problem+json; charset=utf-8\r\n");
        response.metadata_bytes =
            write_problem(response.body, error, reason_phrase(response.status), locales_, facts(walk));
    } else {
        response.headers.append("Content-Type: application/json; charset=utf-8\r\n");
        response.metadata_bytes = write_error(response.body, error, locales_, facts(walk));
    }
}

void Pipeline::answer_error_page(Walk& walk, const Error& error, Response& response) const {
    Reply page = options_.error_pages->page_of(walk.context, error);
    if (page.status != 0) response.status = page.status;
    common_headers(walk, response);
    response.headers.append(page.extra_headers).append(not_kept);
    add_policy(page.content_security_policy, response);
    response.headers.append(retry_after_line(error));
    if (response.status == 405) response.add_header("Allow", walk.allow);
    if (response.status == 401) response.add_header("WWW-Authenticate", "Bearer");
    response.add_header("Content-Type", page.content_type);
    response.body = std::move(page.data);
}

void Pipeline::observe(const Walk& walk, const Response& response) const {
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - walk.begin);
    const Exchange exchange{walk.context, walk.context.operation, response, walk.error, walk.failure,
                            took,         walk.changed_nothing};
    for (Observer* observer : options_.observers) observer->on_answer(exchange);
}

void Pipeline::finish(Walk walk, Response& response) const {
    const Request& request = walk.context.request;
    const bool preflight = request.method == Method::options && request.header("access-control-request-method");
    // What a page shows is for its own origin, whichever origins may use the API.
    if (walk.context.operation == nullptr || !walk.context.operation->is_page)
        options_.cors.add_headers(request, preflight, response);
    response.vary.append_to(response.headers);
    if (response.stream) {
        Response told{.status = response.status, .headers = response.headers, .body = {}};
        response.stream->ended = [this, told = std::move(told), kept = std::make_shared<Walk>(std::move(walk))](
                                     StreamEnd end, std::size_t bytes, std::string_view failure) mutable {
            told.streamed_bytes = bytes;
            if (end == StreamEnd::failed) {
                kept->error = &errors::unknown;
                kept->failure = failure.empty() ? "unknown" : failure;
            }
            observe(*kept, told);
        };
        return;
    }
    observe(walk, response);
    if (walk.may_compress) compress(request, response);
}

}  // namespace consentry::http
