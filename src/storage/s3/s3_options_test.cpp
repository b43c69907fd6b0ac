#include "storage/s3/s3_options.hpp"

#include <gmock/gmock.h>

namespace consentry::storage {
namespace {

using ::testing::StartsWith;

TEST(S3Url, TellsWhereTheServerIs) {
    const auto amazon = parse_s3_url("s3:");
    ASSERT_TRUE(amazon);
    EXPECT_EQ(amazon->host, "");
    EXPECT_TRUE(amazon->tls);
    EXPECT_TRUE(amazon->buckets_by_host);
    EXPECT_FALSE(parse_s3_url("s3:?style=path")->buckets_by_host);

    const auto other = parse_s3_url("s3://files.example.com:9000?ca_file=/etc/ca%20s.pem");
    ASSERT_TRUE(other);
    EXPECT_EQ(other->host, "files.example.com:9000");
    EXPECT_TRUE(other->tls);
    EXPECT_FALSE(other->buckets_by_host);
    EXPECT_EQ(other->ca_file, "/etc/ca s.pem");
    EXPECT_TRUE(parse_s3_url("s3://files.example.com/?style=virtual")->buckets_by_host);
    EXPECT_FALSE(parse_s3_url("s3://[::1]:9000?tls=none")->tls);
}

TEST(S3Url, OmitsTheDefaultPort) {
    EXPECT_EQ(parse_s3_url("s3://a.example:443")->host, "a.example");
    EXPECT_EQ(parse_s3_url("s3://a.example:80?tls=none")->host, "a.example");
    EXPECT_EQ(parse_s3_url("s3://a.example:80")->host, "a.example:80");
    EXPECT_EQ(parse_s3_url("s3://a.example:0443")->host, "a.example");
    EXPECT_EQ(parse_s3_url("s3://a.example:09000")->host, "a.example:9000");
    EXPECT_EQ(parse_s3_url("s3://[::1]:9000")->host, "[::1]:9000");
}

TEST(S3Url, RefusesEverythingElse) {
    for (const auto* url : {"",
                            "s3",
                            "s4:",
                            "S3x://a",
                            "s3://",
                            "s3:///",
                            "s3:/a",
                            "s3:a",
                            "s3://a/bucket",
                            "s3://user@a",
                            "s3://key:secret@a",
                            "s3://a#f",
                            "s3://a:0",
                            "s3://a:65536",
                            "s3://a:99999",
                            "s3://a b",
                            "s3://a?style=both",
                            "s3://a?tls=",
                            "s3://a?tls=off",
                            "s3:?tls=none",
                            "s3://a?ca_file=",
                            "s3://a?ca_file=%00",
                            "s3://a?secret=x",
                            "s3://127.0.0.1?style=virtual",
                            "s3://[::1]?style=virtual",
                            "s3://[v1.a]",
                            "https://a"}) {
        const auto read = parse_s3_url(url);
        ASSERT_FALSE(read) << url;
        EXPECT_THAT(read.error(), StartsWith("must ")) << url;
    }
}

TEST(S3Url, KnowsTheNamesOfBuckets) {
    for (const auto* name : {"abc", "a.b-c.9", "000"}) EXPECT_TRUE(is_bucket_name(name)) << name;
    for (const auto* name : {"", "ab", "-abc", "abc-", ".abc", "a..b", "Abc", "a_b", "a/b", "a b"})
        EXPECT_FALSE(is_bucket_name(name)) << name;
    EXPECT_TRUE(is_bucket_name(std::string(63, 'a')));
    EXPECT_FALSE(is_bucket_name(std::string(64, 'a')));
}

}  // namespace
}  // namespace consentry::storage
