// Tests against the examples that AWS publishes in the Amazon S3 API reference under "Authenticating requests (AWS
// Signature Version 4)": sig-v4-header-based-auth.html and sigv4-query-string-auth.html.
#include "storage/s3/sigv4.hpp"

#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"

namespace consentry::storage::s3 {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const std::string host = "examplebucket.s3.amazonaws.com";
const Signer signer("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1");
const TimePoint now = from_iso8601("2013-05-24T00:00:00Z").value();
const std::string of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string authorization(const Request& request, const std::string& payload_sha256 = of_nothing) {
    for (const auto& [name, value] : signer.signed_headers(request, payload_sha256, now))
        if (name == "authorization") return value;
    return {};
}

TEST(SigV4, GetObject) {
    const Request request{.host = host, .path = "/test.txt", .headers = {{"range", "bytes=0-9"}}};
    EXPECT_THAT(
        signer.signed_headers(request, of_nothing, now),
        UnorderedElementsAre(Pair("range", "bytes=0-9"), Pair("x-amz-date", "20130524T000000Z"),
                             Pair("x-amz-content-sha256", of_nothing),
                             Pair("authorization",
                                  "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                                  "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                                  "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")));
}

TEST(SigV4, PutObject) {
    const Request request{
        .method = "PUT",
        .host = host,
        .path = "/test$file.text",
        .headers = {{"x-amz-storage-class", "REDUCED_REDUNDANCY"}, {"date", "Fri, 24 May 2013 00:00:00 GMT"}}};
    EXPECT_EQ(target_of(request), "/test%24file.text");
    EXPECT_THAT(authorization(request, to_hex(crypto::sha256("Welcome to Amazon S3."))),
                EndsWith(",SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,"
                         "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(SigV4, GetBucketLifecycle) {
    EXPECT_THAT(authorization({.host = host, .path = "/", .query = {{"lifecycle", ""}}}),
                EndsWith("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(SigV4, ListObjects) {
    EXPECT_THAT(authorization({.host = host, .path = "/", .query = {{"prefix", "J"}, {"max-keys", "2"}}}),
                EndsWith("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(SigV4, PresignedGetObject) {
    EXPECT_EQ(signer.presigned_target({.host = host, .path = "/test.txt"}, now, seconds{86'400}),
              "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
              "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
              "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
              "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SigV4, EncodesWhatAnAddressCannotHold) {
    EXPECT_EQ(target_of({.path = "/a b/ä+~.-_/", .query = {{"b", "1/2"}, {"a", ""}}}),
              "/a%20b/%C3%A4%2B~.-_/?a=&b=1%2F2");
}

TEST(SigV4, NeverHasTheSecretInIt) {
    EXPECT_THAT(signer.presigned_target({.host = host, .path = "/a"}, now, seconds{1}), Not(HasSubstr("wJalr")));
    EXPECT_THAT(authorization({.host = host, .path = "/a"}), Not(HasSubstr("wJalr")));
}

}  // namespace
}  // namespace consentry::storage::s3
