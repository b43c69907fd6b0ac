#include "features/witness/application.hpp"

#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace consentry {
namespace {

constexpr std::string_view text_type = "text/plain; charset=utf-8";

void write(http::Response& response, unsigned status, std::string_view type, std::string body) {
    response.status = status;
    response.add_header("Content-Type", type);
    response.add_header("Cache-Control", "no-store");
    response.add_header("X-Content-Type-Options", "nosniff");
    response.body = std::move(body);
}

}  // namespace

awaitable<void> WitnessApplication::respond(const http::Request& request, http::Response& response) {
    if (request.path != "/add-checkpoint") {
        write(response, 404, text_type, "this is a witness of transparency logs: POST /add-checkpoint\n");
        co_return;
    }
    if (request.method != http::Method::post) {
        write(response, 405, text_type, "use POST\n");
        response.add_header("Allow", "POST");
        co_return;
    }
    const bool has_body = co_await receive_body(request, response);
    if (!has_body) co_return;
    std::string unavailable;
    try {
        WitnessAnswer answer = co_await witness_.add_checkpoint(std::string(std::string_view(request.body)));
        write(response, answer.status, answer.media_type, std::move(answer.body));
    } catch (const Unavailable& outage) {
        unavailable = outage.what();
    }
    if (unavailable.empty()) co_return;
    spdlog::error("no cosignature: {}", unavailable);
    write(response, 503, text_type, "the witness cannot record checkpoints at the moment\n");
    response.add_header("Retry-After", "1");
}

void WitnessApplication::refuse(const http::Request&, const ErrorKind& kind, http::Response& response) noexcept {
    response.clear();
    response.status = kind.http_status;
    try {
        write(response, kind.http_status, text_type, fmt::format("{}\n", http::reason_phrase(kind.http_status)));
    } catch (...) {
        response.body.clear();
    }
}

}  // namespace consentry
