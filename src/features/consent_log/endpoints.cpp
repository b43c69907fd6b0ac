#include "features/consent_log/endpoints.hpp"

#include <boost/json/serialize.hpp>

#include "base/errors.hpp"
#include "base/gzip.hpp"
#include "features/consent_log/dto.hpp"
#include "features/consent_log/verifier_page.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"
#include "http/etag.hpp"
#include "http/steps/content_coding.hpp"
#include "tlog/lines.hpp"

namespace consentry {
namespace {

constexpr std::string_view text_type = "text/plain; charset=utf-8";
constexpr std::string_view tile_type = "application/octet-stream";
constexpr std::string_view timestamp_type = "application/timestamp-reply";
// Tiles never change: a year, and RFC 8246. no-transform: verifiers compare the bytes, whose strong ETag would not hold
// for an answer that a proxy compresses (RFC 9110 section 8.8.1).
constexpr std::string_view for_ever = "public, max-age=31536000, immutable, no-transform";
constexpr std::string_view five_minutes = "public, max-age=300, no-transform";

http::Raw exact(std::string_view type, std::string body, std::string_view cache_control) {
    std::string etag = http::strong_etag(to_base64url(crypto::sha256(body)));
    return {.content_type = std::string(type),
            .body = std::move(body),
            .cache_control = std::string(cache_control),
            .etag = std::move(etag)};
}

awaitable<Result<http::Raw>> checkpoint(ConsentLog& log) {
    std::string note = co_await log.published().checkpoint();
    co_return exact(text_type, std::move(note), "no-cache, no-transform");
}

// Bundles of entries shrink to half; hashes do not. Two representations, two strong tags.
awaitable<Result<http::Raw>> tile(ConsentLog& log, std::string path, bool accepts_gzip) {
    auto bytes = co_await log.published().tile("tile/" + path);
    if (!bytes) co_return fail(errors::route_not_found);
    const bool shrinks = path.starts_with("entries/") && bytes->size() >= http::compressed_from_bytes;
    const bool is_packed = shrinks && accepts_gzip;
    http::Raw out = exact(tile_type, is_packed ? gzip(*bytes, Effort::least) : std::move(*bytes), for_ever);
    if (is_packed) out.content_encoding = "gzip";
    out.vary.accept_encoding = shrinks;
    co_return out;
}

awaitable<Result<http::Raw>> timestamp(ConsentLog& log, std::string file) {
    constexpr std::string_view ending = ".tsr";
    const bool is_stamp = file.ends_with(ending);
    const auto size = tlog::parse_decimal(std::string_view(file).substr(0, is_stamp ? file.size() - ending.size() : 0));
    if (!size) co_return fail(errors::route_not_found);
    auto answer = co_await log.published().stamp(*size);
    if (!answer) co_return fail(errors::route_not_found);
    co_return exact(timestamp_type, std::move(*answer), for_ever);
}

awaitable<Result<http::Raw>> description(ConsentLog& log) {
    const auto described = co_await log.description();
    co_return exact("application/json; charset=utf-8", boost::json::serialize(described), five_minutes);
}

awaitable<Result<http::Raw>> description_note(ConsentLog& log) {
    std::string note = co_await log.description_note();
    co_return exact(text_type, std::move(note), five_minutes);
}

awaitable<Result<http::Raw>> page() {
    static const http::Raw answer = [] {
        // no-transform: a saved copy has the bytes of the ETag.
        http::Raw out = exact("text/html; charset=utf-8", std::string(verifier_page()), "no-cache, no-transform");
        out.content_security_policy = verifier_page_policy();
        return out;
    }();
    co_return answer;
}

// The addresses of a log are part of its identity, so they do not change with the API's prefix or version.
http::Endpoint& describe(http::Endpoint& endpoint) {
    return endpoint.outside_prefix().without_api_key().tag("consent-log").with_etag();
}

void add_public_endpoints(http::Router& router, ConsentLog& log) {
    http::Endpoint head = router.get("/consent-log/checkpoint");
    describe(head)
        .id("consentLogCheckpoint")
        .says("Get the latest checkpoint of the consent log")
        .describes("A signed note with origin, size and root hash of the log (C2SP tlog-checkpoint).")
        .answers_with("text/plain")
        .handled_by([&log] { return checkpoint(log); });

    http::Endpoint tiles = router.get("/consent-log/tile/:path");
    describe(tiles)
        .with_rest_of_path()
        .id("consentLogTile")
        .says("Get a tile of the consent log")
        .describes(
            "Hash tiles (`0/x001/067`) and bundles of entries (`entries/x001/067`), as in C2SP tlog-tiles. A full tile "
            "replaces its partial ones (`0/000.p/17`).")
        .answers_with("application/octet-stream")
        .may_fail({&errors::route_not_found})
        .handled_by([&log](const http::RequestContext& context, http::FromPath<TilePath>) {
            return tile(log, context.path_params.front().value, http::accepts_gzip(context.request));
        });

    http::Endpoint stamps = router.get("/consent-log/timestamps/:file");
    describe(stamps)
        .id("consentLogTimestamp")
        .says("Get the timestamp of a checkpoint of the consent log")
        .describes(
            "The response of a timestamp authority (RFC 3161) for the text of the checkpoint: its three lines, without "
            "signatures.")
        .answers_with("application/timestamp-reply")
        .may_fail({&errors::route_not_found})
        .handled_by([&log](http::FromPath<TimestampPath> path) { return timestamp(log, path->file); });

    http::Endpoint facts = router.get("/.well-known/consent-log");
    describe(facts)
        .id("consentLogDescription")
        .says("Get the origin and the keys of the consent log")
        .describes(
            "Origin, verifier key, the keys of all receipts ever signed (RFC 7517), the time within which an entry is "
            "in the log, in seconds, and origin and verifier key of the administration log.")
        .answers_with("application/json")
        .handled_by([&log] { return description(log); });

    http::Endpoint note = router.get("/.well-known/consent-log.note");
    describe(note)
        .id("consentLogDescriptionNote")
        .says("Get the description of the consent log, signed by the log")
        .describes("The same facts as a signed note: anyone who trusts the verifier key can trust the receipt keys.")
        .answers_with("text/plain")
        .handled_by([&log] { return description_note(log); });

    http::Endpoint verifier = router.get("/consent-log/verify");
    describe(verifier)
        .id("consentLogVerifier")
        .says("Show the page that verifies receipts, proofs and bundles")
        .describes(
            "One file that works offline: it sends nothing, loads nothing, and also works when saved. It needs the "
            "verifier key, or a policy, from a source that its user trusts.")
        .answers_with("text/html")
        .handled_by([] { return page(); });
}

}  // namespace

void add_consent_log_endpoints(http::Router& router, ConsentLog& log) {
    add_public_endpoints(router, log);

    router.get("/shared/user/term-policy/receipt/:acceptanceId")
        .also_at("/user/term-policy/receipt/:acceptanceId")
        .id("getConsentReceipt")
        .tag("term-policy")
        .says("Get the receipt of an acceptance or withdrawal")
        .describes("Signs the receipt again, with the same claims and a new signature.")
        .message("termPolicy.receipt")
        .may_fail({&errors::term_policy_receipt_not_found})
        .handled_by([&log](const SignedIn& caller, http::FromPath<ReceiptPath> path) {
            return http::reply<ReceiptResponse>(log.receipt_of(caller.user(), path->acceptance_id));
        });

    router.get("/shared/user/term-policy/receipt/:acceptanceId/proof")
        .also_at("/user/term-policy/receipt/:acceptanceId/proof")
        .id("getConsentProof")
        .tag("term-policy")
        .says("Get the proof that an acceptance or withdrawal is in the log")
        .describes(
            "A `.tlog-proof` file (C2SP tlog-proof) with the entry in its `extra` line. Together with the verifier key "
            "it proves the entry offline.")
        .answers_with("text/plain")
        .may_fail({&errors::term_policy_receipt_not_found, &errors::term_policy_log_pending})
        .handled_by([&log](const SignedIn& caller, http::FromPath<ReceiptPath> path) {
            return http::reply(log.proof_of(caller.user(), path->acceptance_id), [](std::string proof) {
                return http::Raw{.content_type = std::string(text_type), .body = std::move(proof)};
            });
        });
}

}  // namespace consentry
