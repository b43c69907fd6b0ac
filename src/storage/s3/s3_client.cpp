#include "storage/s3/s3_client.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>

#include "base/ascii.hpp"
#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "crypto/random.hpp"

namespace consentry::storage::s3 {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds first_wait = 100ms;

// The errors that the operator can fix.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> meanings{{
    {"RequestTimeTooSkewed", "the clocks of this machine and the server differ by more than 15 minutes"},
    {"SignatureDoesNotMatch", "the secret does not match the access key"},
    {"InvalidAccessKeyId", "the server does not know the access key"},
    {"AuthorizationHeaderMalformed", "the region differs from the server's"},
    {"PermanentRedirect", "the bucket is in another region"},
    {"NoSuchBucket", "the bucket does not exist"},
    {"AccessDenied", "the access key lacks permission"},
}};

bool is_worth_another(unsigned status) {
    return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

// Exponential backoff with jitter, so that instances do not retry in lockstep.
milliseconds wait_after(int attempt) {
    const milliseconds whole = first_wait * (1 << std::min(attempt - 1, 6));
    return whole / 2 + whole * crypto::random_bytes(1).front() / (2 * 256);
}

void pause(milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
}

std::string server_host(const S3Options& options) {
    return options.server.host.empty() ? "s3." + options.region + ".amazonaws.com" : options.server.host;
}

}  // namespace

std::string error_code(const net::HttpResponse& response) {
    constexpr std::string_view open = "<Code>";
    const auto begin = response.body.find(open);
    if (begin == std::string::npos) return {};
    const auto end = response.body.find('<', begin + open.size());
    if (end == std::string::npos || end - begin > 80) return {};
    std::string code = response.body.substr(begin + open.size(), end - begin - open.size());
    const bool plain = std::ranges::all_of(code, is_alphanumeric);
    return plain ? code : std::string();
}

std::string description(const net::HttpResponse& response) {
    const std::string code = error_code(response);
    std::string out = std::to_string(response.status);
    if (!code.empty()) out += ' ' + code;
    for (const auto& [known, meaning] : meanings)
        if (known == code) out.append(": ").append(meaning);
    return out;
}

Client::Client(const S3Options& options, const Clock& clock)
    : server_{.host = server_host(options),
              .buckets_by_host = options.server.buckets_by_host,
              .tls = options.server.tls,
              .ca_file = options.server.ca_file},
      attempts_max_(options.attempts_max),
      signer_(options.access_key, options.secret, options.region),
      clock_(clock) {}

// Certificates are for *.HOST, and a wildcard matches a single label.
bool Client::is_by_host(const std::string& bucket) const { return server_.buckets_by_host && !bucket.contains('.'); }

std::string Client::host_of(const std::string& bucket) const {
    return is_by_host(bucket) ? bucket + '.' + server_.host : server_.host;
}

std::string Client::path_of(const std::string& bucket, std::string_view key) const {
    std::string path = "/";
    if (!is_by_host(bucket)) path += bucket + (key.empty() ? "" : "/");
    return path.append(key);
}

std::string Client::url_of(const std::string& host, const std::string& target) const {
    return (server_.tls ? "https://" : "http://") + host + target;
}

net::HttpResponse Client::send_once(const net::HttpRequest& request, const std::stop_token& stop) {
    std::unique_ptr<net::HttpClient> client;
    {
        const std::scoped_lock lock(mutex_);
        if (!idle_.empty()) {
            client = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    if (!client)
        client = std::make_unique<net::HttpClient>(
            net::HttpClient::Options{.ca_file = server_.ca_file, .plain_http = !server_.tls});
    net::HttpResponse response = client->fetch(request, stop);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(client));
    return response;
}

net::HttpResponse Client::send(const Call& call, Deadline deadline, const std::stop_token& stop) {
    const std::string digest = to_hex(crypto::sha256(call.body));
    net::HttpRequest request{.method = call.request.method,
                             .url = url_of(call.request.host, target_of(call.request)),
                             .headers = call.request.headers,
                             .body = call.body,
                             .answer_bytes_max = call.answer_bytes_max};
    for (int attempt = 1;; ++attempt) {
        const auto left = std::chrono::floor<milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left <= 0ms) throw Unavailable("S3: timed out");
        request.timeout = std::max(left / (attempts_max_ - attempt + 1), 1ms);  // an equal share for each attempt left
        if (call.is_signed) request.headers = signer_.signed_headers(call.request, digest, clock_.now());
        try {
            net::HttpResponse response = send_once(request, stop);
            if (attempt == attempts_max_ || !is_worth_another(response.status)) return response;
        } catch (const Unavailable& outage) {
            if (attempt == attempts_max_ || stop.stop_requested())
                throw Unavailable("S3: " + request.method + ": " + outage.what());
        }
        pause(wait_after(attempt), stop);
    }
}

}  // namespace consentry::storage::s3
