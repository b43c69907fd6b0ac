// Sends requests to one S3 server: signed, with a deadline, and retried if that may help (every request used here is
// idempotent). Blocking, for worker threads. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/http_client.hpp"
#include "storage/s3/s3_options.hpp"
#include "storage/s3/sigv4.hpp"

namespace consentry::storage::s3 {

using Deadline = std::chrono::steady_clock::time_point;

struct Call {
    Request request;
    std::string body{};
    std::size_t answer_bytes_max = std::size_t{64} << 10U;
    bool is_signed = true;  // false: anonymous
};

// The server's error code, such as NoSuchKey; empty if it gives none, or one that is not a plain word.
std::string error_code(const net::HttpResponse& response);

// "403 SignatureDoesNotMatch: the secret does not match the access key". Only the status and the code come from the
// server.
std::string description(const net::HttpResponse& response);

class Client {
public:
    // The clock dates the signatures. It must outlive the client.
    Client(const S3Options& options, const Clock& clock);

    // Returns the server's response, error responses included. Throws Unavailable if none arrives before the deadline.
    net::HttpResponse send(const Call& call, Deadline deadline, const std::stop_token& stop = {});

    // The parts of a request to this bucket.
    std::string host_of(const std::string& bucket) const;
    std::string path_of(const std::string& bucket, std::string_view key) const;
    std::string url_of(const std::string& host, const std::string& target) const;
    const Signer& signer() const { return signer_; }

private:
    net::HttpResponse send_once(const net::HttpRequest& request, const std::stop_token& stop);
    bool is_by_host(const std::string& bucket) const;

    const S3Server server_;
    const int attempts_max_;
    const Signer signer_;
    const Clock& clock_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<net::HttpClient>> idle_;
};

}  // namespace consentry::storage::s3
