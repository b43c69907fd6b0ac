#include "features/administration_log/endpoints.hpp"

#include "crypto/digest.hpp"
#include "http/endpoint.hpp"
#include "http/etag.hpp"

namespace consentry {
namespace {

// no-transform: verifiers compare the bytes, whose strong ETag would not hold for a compressed answer.
awaitable<Result<http::Raw>> checkpoint(AdministrationLog& log) {
    std::string note = co_await log.published().checkpoint();
    std::string etag = http::strong_etag(to_base64url(crypto::sha256(note)));
    co_return http::Raw{.content_type = "text/plain; charset=utf-8",
                        .body = std::move(note),
                        .cache_control = "no-cache, no-transform",
                        .etag = std::move(etag)};
}

}  // namespace

void add_administration_log_endpoints(http::Router& router, AdministrationLog& log) {
    router.get("/consent-log/administration/checkpoint")
        .outside_prefix()
        .without_api_key()
        .tag("consent-log")
        .with_etag()
        .id("administrationLogCheckpoint")
        .says("Get the latest checkpoint of the administration log")
        .describes(
            "Size and root hash of the log of administrators' acts, signed by the log. Its entries are private; "
            "anyone who keeps its checkpoints can verify that the log never shrinks.")
        .answers_with("text/plain")
        .handled_by([&log] { return checkpoint(log); });
}

}  // namespace consentry
