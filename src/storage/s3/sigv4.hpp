// AWS Signature Version 4 for S3, which proves that the sender of a request has the secret.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace consentry::storage::s3 {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The fields are not percent-encoded.
struct Request {
    std::string method = "GET";
    std::string host{};  // as in the Host header: with the port, unless it is the default
    std::string path{};  // begins with a slash
    Fields query{};
    Fields headers{};  // signed besides host and the signature's own; lowercase names
};

// Returns path and query exactly as they must be sent, because the server signs what it receives.
std::string target_of(const Request& request);

class Signer {
public:
    Signer(std::string access_key, std::string secret, std::string region);

    // Returns all headers to send except Host, which every client adds itself. Servers reject signatures older than 15
    // minutes.
    Fields signed_headers(Request request, std::string payload_sha256_hex, TimePoint now) const;
    // Returns the path and query with which anyone may make this request until now + lifetime (whole seconds), with any
    // payload that the headers allow. The headers must be sent exactly as given here.
    std::string presigned_target(Request request, TimePoint now, seconds lifetime) const;

private:
    std::string signature(const Request& request, std::string_view payload, const std::string& time) const;
    std::string scope(const std::string& time) const;

    std::string access_key_;
    std::string secret_;
    std::string region_;
};

}  // namespace consentry::storage::s3
