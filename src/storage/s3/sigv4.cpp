#include "storage/s3/sigv4.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/percent_encoding.hpp"
#include "base/text.hpp"
#include "crypto/digest.hpp"

namespace consentry::storage::s3 {
namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t date_length = 8;  // of 20130524T000000Z

std::string canonical_query(const Request& request) {
    Fields fields;
    for (const auto& [name, value] : request.query) fields.emplace_back(percent_encoded(name), percent_encoded(value));
    std::ranges::sort(fields);
    std::string out;
    for (const auto& [name, value] : fields) out.append(out.empty() ? "" : "&").append(name).append("=").append(value);
    return out;
}

Fields canonical_headers(const Request& request) {
    Fields out = request.headers;
    out.emplace_back("host", request.host);
    std::ranges::sort(out);
    return out;
}

std::string names_of(const Fields& headers) {
    std::string out;
    for (const auto& [name, value] : headers) out.append(out.empty() ? "" : ";").append(name);
    return out;
}

// 20130524T000000Z
std::string compact(TimePoint now) {
    std::string text = to_iso8601(now);
    text.resize(text.find('.'));
    std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
    return text + 'Z';
}

std::string hex_sha256(std::string_view text) { return to_hex(crypto::sha256(text)); }

}  // namespace

std::string target_of(const Request& request) {
    const std::string query = canonical_query(request);
    return percent_encoded(request.path, "/") + (query.empty() ? "" : "?" + query);
}

Signer::Signer(std::string access_key, std::string secret, std::string region)
    : access_key_(std::move(access_key)), secret_(std::move(secret)), region_(std::move(region)) {}

std::string Signer::scope(const std::string& time) const {
    return time.substr(0, date_length) + '/' + region_ + "/s3/aws4_request";
}

std::string Signer::signature(const Request& request, std::string_view payload, const std::string& time) const {
    const Fields headers = canonical_headers(request);
    std::string canonical =
        request.method + '\n' + percent_encoded(request.path, "/") + '\n' + canonical_query(request) + '\n';
    for (const auto& [name, value] : headers) canonical.append(name).append(":").append(trim(value)).append("\n");
    canonical.append("\n").append(names_of(headers)).append("\n").append(payload);
    const std::string to_sign =
        std::string(algorithm) + '\n' + time + '\n' + scope(time) + '\n' + hex_sha256(canonical);

    auto key = crypto::hmac_sha256(as_bytes("AWS4" + secret_), as_bytes(std::string_view(time).substr(0, date_length)));
    for (const std::string_view part : {std::string_view(region_), std::string_view("s3"),
                                        std::string_view("aws4_request"), std::string_view(to_sign)})
        key = crypto::hmac_sha256(key, as_bytes(part));
    return to_hex(key);
}

Fields Signer::signed_headers(Request request, std::string payload_sha256_hex, TimePoint now) const {
    const std::string time = compact(now);
    request.headers.emplace_back("x-amz-date", time);
    request.headers.emplace_back("x-amz-content-sha256", payload_sha256_hex);
    std::string authorization(algorithm);
    authorization += " Credential=" + access_key_ + '/' + scope(time);
    authorization += ",SignedHeaders=" + names_of(canonical_headers(request));
    authorization += ",Signature=" + signature(request, payload_sha256_hex, time);
    request.headers.emplace_back("authorization", std::move(authorization));
    return std::move(request.headers);
}

std::string Signer::presigned_target(Request request, TimePoint now, seconds lifetime) const {
    const std::string time = compact(now);
    request.query.emplace_back("X-Amz-Algorithm", algorithm);
    request.query.emplace_back("X-Amz-Credential", access_key_ + '/' + scope(time));
    request.query.emplace_back("X-Amz-Date", time);
    request.query.emplace_back("X-Amz-Expires", std::to_string(lifetime.count()));
    request.query.emplace_back("X-Amz-SignedHeaders", names_of(canonical_headers(request)));
    return target_of(request) + "&X-Amz-Signature=" + signature(request, "UNSIGNED-PAYLOAD", time);
}

}  // namespace consentry::storage::s3
