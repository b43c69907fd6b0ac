// AWS Signature Version 4, as S3 wants it: how a request proves that its sender has the secret.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace consentry::storage::s3 {

using Fields = std::vector<std::pair<std::string, std::string>>;

// Nothing in it is percent-encoded.
struct Request {
    std::string method = "GET";
    std::string host{};  // as the Host header says it: with the port, unless it is the scheme's own
    std::string path{};  // begins with a slash
    Fields query{};
    Fields headers{};  // that are signed, besides host and those of the signature; names in lower case
};

// Path and query as they are to be sent: the server signs what it gets.
std::string target_of(const Request& request);

class Signer {
public:
    Signer(std::string access_key, std::string secret, std::string region);

    // All headers to send but Host, which every client writes itself. Servers refuse what is older than 15 minutes.
    Fields signed_headers(Request request, std::string payload_sha256_hex, TimePoint now) const;
    // Path and query with which anybody may make this request until now + lifetime (whole seconds), with any payload
    // that the headers allow; they have to be sent as they are here.
    std::string presigned_target(Request request, TimePoint now, seconds lifetime) const;

private:
    std::string signature(const Request& request, std::string_view payload, const std::string& time) const;
    std::string scope(const std::string& time) const;

    std::string access_key_;
    std::string secret_;
    std::string region_;
};

}  // namespace consentry::storage::s3
