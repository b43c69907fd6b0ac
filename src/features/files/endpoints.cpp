#include "features/files/endpoints.hpp"

#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "features/files/dto.hpp"
#include "http/etag.hpp"

namespace consentry {
namespace {

// Whatever a file contains, the browser shows it as text and executes nothing (DOC-9).
constexpr std::string_view plain_text = "text/plain; charset=utf-8";
constexpr std::string_view sandbox = "sandbox; default-src 'none'; frame-ancestors 'none'";

Files::Visit visit_of(const http::RequestContext& context) {
    return {.key = context.path_params.front().value, .query = std::string(context.request.query), .now = context.now};
}

std::string mime_of(const http::Request& request) {
    return request.count("content-type") == 1 ? std::string(*request.header("content-type")) : std::string();
}

http::Raw shown(std::string bytes) {
    return {.content_type = std::string(plain_text),
            .body = std::move(bytes),
            .content_security_policy = std::string(sandbox)};
}

http::Raw shown_to_all(std::string bytes) {
    // Weak, because the response may be compressed in transit.
    std::string etag = http::weak_etag(to_hex(crypto::sha256(bytes)));
    http::Raw out = shown(std::move(bytes));
    // One hour: published files never change but may be taken down.
    out.cache_control = "public, max-age=3600";
    out.etag = std::move(etag);
    return out;
}

// These addresses appear in mails and documents, so they must not change with the API's prefix or version.
http::Endpoint& describe(http::Endpoint& endpoint) {
    return endpoint.with_rest_of_path().outside_prefix().without_api_key().tag("file");
}

}  // namespace

void add_file_endpoints(http::Router& router, Files& files) {
    http::Endpoint upload = router.put("/files/private/:key");
    describe(upload)
        .id("fileUpload")
        .says("Upload a private file")
        .describes(
            "Use the URL exactly as another operation returned it. It is valid for a limited time, for one file, and "
            "only with the `Content-Type` and number of bytes that were requested.")
        .message("file.upload")
        .may_fail({&errors::file_address_invalid})
        .handled_by([&files](const http::RequestContext& context, http::FromPath<FilePath>,
                             http::FromQuery<FileAddressQuery>, http::FileBody body) {
            return http::reply<http::Done>(
                files.put(visit_of(context), mime_of(context.request), std::string(body.bytes)));
        });

    http::Endpoint download = router.get("/files/private/:key");
    describe(download)
        .id("fileDownload")
        .says("Download a private file")
        .describes("Use the URL exactly as another operation returned it. It is valid for a limited time.")
        .answers_with("text/plain")
        .may_fail({&errors::file_address_invalid, &errors::route_not_found})
        .handled_by(
            [&files](const http::RequestContext& context, http::FromPath<FilePath>, http::FromQuery<FileAddressQuery>) {
                return http::reply(files.get(visit_of(context)), shown);
            });

    http::Endpoint published = router.get("/files/public/:key");
    describe(published)
        .ignores_input()  // links get passed on and collect tracking parameters on the way
        .id("filePublic")
        .says("Download a public file")
        .describes("Public. Served as plain text, whatever its content; the ETag is the SHA-256 of the bytes.")
        .answers_with("text/plain")
        .with_etag()
        .may_fail({&errors::route_not_found})
        .handled_by([&files](const http::RequestContext& context, http::FromPath<FilePath>) {
            return http::reply(files.get_public(context.path_params.front().value), shown_to_all);
        });
}

}  // namespace consentry
