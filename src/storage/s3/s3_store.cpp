#include "storage/s3/s3_store.hpp"

#include <stdexcept>

#include "base/bytes.hpp"
#include "base/gzip.hpp"
#include "base/numbers.hpp"
#include "crypto/digest.hpp"
#include "storage/compressed_object.hpp"

namespace consentry::storage {
namespace {

using net::HttpResponse;
using s3::Call;

constexpr std::size_t head_bytes_max = std::size_t{64} << 10U;  // of a response besides its body

// Uploaded files are untrusted content and must never render as a page of the bucket's site (DOC-9).
constexpr std::string_view as_file = "attachment";
constexpr std::string_view gzip_coding = "gzip";  // Content-Encoding of compressed objects

const Clock& world_clock() {
    static const SystemClock clock;
    return clock;
}

void check_key(std::string_view key) {
    if (!is_object_key(key)) throw std::logic_error("no key of an object");
}

Unavailable outage(std::string_view what, const HttpResponse& response) {
    return Unavailable("S3: " + std::string(what) + ": " + s3::description(response));
}

// A missing bucket says nothing about whether the file exists.
bool is_absent(const HttpResponse& response) {
    return response.status == 404 && s3::error_code(response) != "NoSuchBucket";
}

// The size of the whole object: 100 in "bytes 0-9/100".
std::optional<std::uint64_t> whole_size(const HttpResponse& response) {
    const auto range = response.header("content-range");
    if (!range) return std::nullopt;
    return parse_number<std::uint64_t>(range->substr(range->rfind('/') + 1));
}

void require_put(const HttpResponse& response) {
    if (response.status != 200) throw outage("PUT", response);
}

// The answer to a GET of packed_bytes_max(bytes_max) bytes, which cover an object that is not compressed.
std::optional<Object> object_in(HttpResponse response, std::size_t bytes_max) {
    if (is_absent(response)) return std::nullopt;
    if (response.status == 416) return Object{};  // the object is empty, so no range is valid
    const auto size = response.status == 206 ? whole_size(response) : std::optional(response.body.size());
    if ((response.status != 200 && response.status != 206) || !size) throw outage("GET", response);
    if (response.header("content-encoding") == gzip_coding) return unpacked_object(response.body, bytes_max);
    if (response.body.size() > bytes_max) response.body.resize(bytes_max);
    return Object{.bytes = std::move(response.body), .size = *size};
}

seconds lifetime(TimePoint now, TimePoint until) {
    return std::chrono::floor<seconds>(until) - std::chrono::floor<seconds>(now);
}

}  // namespace

S3Store::S3Store(S3Options options) : S3Store(std::move(options), world_clock()) {}

S3Store::S3Store(S3Options options, const Clock& clock)
    : options_(std::move(options)),
      client_(options_, clock),
      workers_({.name = "s3", .threads = options_.threads, .queue_max = 1'024}) {}

S3Store::~S3Store() { stop_.request_stop(); }

s3::Request S3Store::request(std::string method, Area area, std::string_view key) const {
    const std::string& bucket = bucket_of(area);
    return {.method = std::move(method), .host = client_.host_of(bucket), .path = client_.path_of(bucket, key)};
}

// The timeout starts here and includes the wait for a thread.
awaitable<HttpResponse> S3Store::send(Call call) {
    auto work = [this, deadline = deadline_of_call(), call = std::move(call)] {
        return client_.send(call, deadline, stop_.get_token());
    };
    HttpResponse response = co_await workers_.run(std::move(work));
    co_return response;
}

awaitable<std::optional<ObjectFacts>> S3Store::head(Area area, std::string key) {
    check_key(key);
    Call call{.request = request("HEAD", area, key)};
    const HttpResponse response = co_await send(std::move(call));
    if (response.status == 404) co_return std::nullopt;
    const auto size = parse_number<std::uint64_t>(response.header("content-length").value_or(""));
    if (response.status != 200 || !size) throw outage("HEAD", response);
    co_return ObjectFacts{.size = *size, .mime = std::string(response.header("content-type").value_or(""))};
}

awaitable<std::optional<Object>> S3Store::get(Area area, std::string key, std::size_t bytes_max) {
    check_key(key);
    const std::size_t stored_max = packed_bytes_max(bytes_max);
    Call call{.request = request("GET", area, key), .answer_bytes_max = stored_max + head_bytes_max};
    call.request.headers.emplace_back("range", "bytes=0-" + std::to_string(stored_max - 1));
    auto work = [this, deadline = deadline_of_call(), call = std::move(call), bytes_max] {
        return object_in(client_.send(call, deadline, stop_.get_token()), bytes_max);
    };
    co_return co_await workers_.run(std::move(work));
}

Call S3Store::call_to_put(Area area, std::string_view key, std::string bytes, std::string mime) const {
    Call call{.request = request("PUT", area, key), .body = std::move(bytes)};
    call.request.headers = {{"content-type", std::move(mime)},
                            {"content-disposition", std::string(as_file)},
                            {"content-md5", to_base64(crypto::md5(call.body))}};  // object lock requires it
    return call;
}

awaitable<void> S3Store::put(Area area, std::string key, std::string bytes, std::string mime) {
    check_key(key);
    require_put(co_await send(call_to_put(area, key, std::move(bytes), std::move(mime))));
}

awaitable<void> S3Store::put_compressed(Area area, std::string key, std::string bytes, std::string mime) {
    check_key(key);
    auto work = [this, deadline = deadline_of_call(), area, key = std::move(key), bytes = std::move(bytes),
                 mime = std::move(mime)] {
        Call call = call_to_put(area, key, gzip(bytes, Effort::usual), mime);
        call.request.headers.emplace_back("content-encoding", gzip_coding);
        return client_.send(call, deadline, stop_.get_token());
    };
    require_put(co_await workers_.run(std::move(work)));
}

awaitable<void> S3Store::erase(Area area, std::string key) {
    check_key(key);
    Call call{.request = request("DELETE", area, key)};
    const HttpResponse response = co_await send(std::move(call));
    if (response.status != 204 && response.status != 200 && !is_absent(response)) throw outage("DELETE", response);
}

std::string S3Store::address_to_get(const std::string& key, TimePoint now, TimePoint until) const {
    check_key(key);
    s3::Request get = request("GET", Area::private_area, key);
    get.query.emplace_back("response-content-disposition", as_file);
    return client_.url_of(get.host, client_.signer().presigned_target(get, now, lifetime(now, until)));
}

std::string S3Store::address_to_put(const std::string& key, const std::string& mime, std::uint64_t size, TimePoint now,
                                    TimePoint until) const {
    check_key(key);
    s3::Request put = request("PUT", Area::private_area, key);
    put.headers = {{"content-type", mime}, {"content-length", std::to_string(size)}};
    return client_.url_of(put.host, client_.signer().presigned_target(put, now, lifetime(now, until)));
}

std::string S3Store::public_address(const std::string& key) const {
    check_key(key);
    if (!options_.public_url.empty()) return options_.public_url + '/' + key;
    const s3::Request get = request("GET", Area::public_area, key);
    return client_.url_of(get.host, target_of(get));
}

awaitable<void> S3Store::ping(Area area) {
    Call call{.request = request("HEAD", area, "")};
    const HttpResponse response = co_await send(std::move(call));
    if (response.status != 200) throw outage("HEAD of a bucket", response);
}

}  // namespace consentry::storage
