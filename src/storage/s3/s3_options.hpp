// The location of an S3 server and how to address it. Its URL is
//
//   s3:                     Amazon S3 in the region; buckets by host
//   s3://HOST[:PORT]        another server; buckets by path
//
// with the parameters style=path or style=virtual (https://HOST/BUCKET/KEY or https://BUCKET.HOST/KEY), tls=none, and
// ca_file=FILE, which replaces the system's certificates.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace consentry::storage {

struct S3Server {
    std::string host{};  // with the port, unless it is the default; empty: Amazon's in the region
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
    std::string public_url{};      // without a trailing slash; empty: the public bucket's own address
    int attempts_max = 3;          // for each call
    milliseconds timeout{30'000};  // for each call, all attempts and waits included
    std::size_t threads = 4;       // concurrent calls
};

// Returns the server, or what is wrong with the URL: "must be ...".
std::expected<S3Server, std::string> parse_s3_url(std::string_view url);

// Whether the text is a bucket name under Amazon's rules, which other servers follow: 3 to 63 lowercase letters,
// digits, '-' and '.'.
bool is_bucket_name(std::string_view text);

}  // namespace consentry::storage
