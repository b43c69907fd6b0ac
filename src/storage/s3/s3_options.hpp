// Where an S3 server is, and how to speak to it. Its address is
//
//   s3:                     Amazon's, in the region; buckets by host
//   s3://HOST[:PORT]        another; buckets by path
//
// with the parameters style=path or style=virtual (https://HOST/BUCKET/KEY or https://BUCKET.HOST/KEY), tls=none, and
// ca_file=FILE, which is trusted instead of the system's certificates.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace consentry::storage {

struct S3Server {
    std::string host{};  // with the port, unless it is the scheme's own; empty: Amazon's in the region
    bool buckets_by_host = true;
    bool tls = true;
    std::string ca_file{};
};

struct S3Options {
    S3Server server{};
    std::string region{};
    std::string access_key{};
    std::string secret{};
    std::string private_bucket{};
    std::string public_bucket{};
    std::string public_url{};      // without a slash at its end; empty: the public bucket's own address
    int attempts_max = 3;          // for each call
    milliseconds timeout{30'000};  // for each call, all attempts and waits together
    std::size_t threads = 4;       // calls at a time
};

// Or what is wrong with it: "must be ...".
std::expected<S3Server, std::string> parse_s3_url(std::string_view url);

// What Amazon, and so everybody, takes for the name of a bucket: 3 to 63 lower-case letters, digits, '-' and '.'.
bool is_bucket_name(std::string_view text);

}  // namespace consentry::storage
