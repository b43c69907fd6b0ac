// The S3 servers that tests share (tests/real/s3.sh): started by the CTest fixture "s3" (consentry_test with S3), which
// keep what they are given in memory or below a temporary folder. A test keeps to keys, or buckets, of its own.
//
// All of it throws std::runtime_error where the servers are not there; its words tell how to start them.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "storage/s3/s3_client.hpp"
#include "storage/s3/s3_options.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {

enum class S3Kind {
    rgw,    // Ceph's gateway: policies, TLS; takes any region
    swift,  // strict about the region; no policies
};
void PrintTo(S3Kind kind, std::ostream* out);

struct S3Server {
    S3Kind kind = S3Kind::rgw;
    std::uint16_t port = 0;
    std::uint16_t tls_port = 0;  // of rgw
    std::string access_key;
    std::string secret;
    std::string region;
    std::string ca_file;  // of rgw, which signed its certificate, and one that did not
    std::string untrusted_ca_file;

    // Without TLS, by path; its buckets are "drafts" and "published".
    storage::S3Options options() const;
    // The settings of a service that uses it.
    NamedValues settings() const;
};

const S3Server& shared_s3(S3Kind kind);

// Who may do what with a new bucket besides its owner.
enum class Strangers { may_nothing, may_read };
std::string make_bucket(S3Kind kind, Strangers strangers = Strangers::may_nothing);

// Of rgw: a policy with one statement about this bucket and all in it, such as
// R"("Effect":"Deny","Action":"s3:GetObject")".
void set_policy(const std::string& bucket, std::string_view statement);

}  // namespace consentry::tests
