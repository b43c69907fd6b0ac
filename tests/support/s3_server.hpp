// The S3 servers shared by tests (tests/real/s3.sh). The CTest fixture "s3" starts them (consentry_test with S3). They
// keep their data in memory or in a temporary folder. Each test uses its own keys or buckets.
//
// Every function throws std::runtime_error if the servers are not running; the message says how to start them.
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
    rgw,    // Ceph's gateway: policies, TLS; accepts any region
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
    std::string ca_file;  // of rgw: the CA that signed its certificate, and one that did not
    std::string untrusted_ca_file;

    // Without TLS, with path-style addresses. The buckets are "drafts" and "published".
    storage::S3Options options() const;
    // The settings of a service that uses this server.
    NamedValues settings() const;
};

const S3Server& shared_s3(S3Kind kind);

// The access to a new bucket for users other than its owner.
enum class Strangers { may_nothing, may_read };
std::string make_bucket(S3Kind kind, Strangers strangers = Strangers::may_nothing);

// rgw only: sets a policy with one statement about this bucket and everything in it, such as
// R"("Effect":"Deny","Action":"s3:GetObject")".
void set_policy(const std::string& bucket, std::string_view statement);

}  // namespace consentry::tests
