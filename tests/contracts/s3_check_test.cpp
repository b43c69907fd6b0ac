// Tests what S3Store::check() reports about buckets and permissions on real servers, and that it reveals no secret.
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "storage/s3/s3_store.hpp"
#include "tests/contracts/s3_calls.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::S3Options;
using storage::S3Store;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class S3Check : public ::testing::TestWithParam<S3Kind> {
protected:
    // Returns the message of check(), or an empty string if the buckets are suitable.
    static std::string verdict(const S3Options& options, const Clock& clock = SystemClock()) {
        std::string said = complaint([&] { S3Store(options, clock).check(); });
        EXPECT_THAT(said, Not(HasSubstr(options.secret)));
        EXPECT_THAT(said, Not(HasSubstr("Signature=")));
        return said;
    }
    S3Options options() const { return shared_s3(GetParam()).options(); }
};
INSTANTIATE_TEST_SUITE_P(Servers, S3Check, ::testing::Values(S3Kind::rgw, S3Kind::swift),
                         ::testing::PrintToStringParamName());

TEST_P(S3Check, FindsFitBucketsFit) {
    EXPECT_EQ(verdict(options()), "");
    S3Options by_host = options();
    by_host.server.host = "localhost:" + std::to_string(shared_s3(GetParam()).port);
    by_host.server.buckets_by_host = true;
    EXPECT_EQ(verdict(by_host), "");
}

TEST_P(S3Check, LeavesNothingBehind) {
    S3Options fit = options();
    fit.private_bucket = make_bucket(GetParam());
    EXPECT_EQ(verdict(fit), "");
    EXPECT_THAT(keys_in(fit, fit.private_bucket), IsEmpty());
    S3Options unfit = options();
    unfit.private_bucket = make_bucket(GetParam(), Strangers::may_read);
    EXPECT_NE(verdict(unfit), "");
    EXPECT_THAT(keys_in(unfit, unfit.private_bucket), IsEmpty());
}

TEST_P(S3Check, ALookFindsTheBucketsAndWritesNothing) {
    const auto seen = [](const S3Options& options) { return complaint([&] { S3Store(options).look(); }); };
    S3Options fit = options();
    fit.private_bucket = make_bucket(GetParam());
    EXPECT_EQ(seen(fit), "");
    EXPECT_THAT(keys_in(fit, fit.private_bucket), IsEmpty());
    S3Options wrong = fit;
    wrong.private_bucket = "no-such-bucket";
    EXPECT_THAT(seen(wrong), AllOf(HasSubstr("private bucket: "), HasSubstr("the bucket does not exist")));
    wrong = fit;
    wrong.secret = "another-secret-than-the-servers";
    EXPECT_THAT(seen(wrong), AllOf(HasSubstr("the secret does not match"), Not(HasSubstr(wrong.secret))));
}

TEST_P(S3Check, DOC_3_StrangersMayNotReadThePrivateBucket) {
    S3Options open = options();
    open.private_bucket = make_bucket(GetParam(), Strangers::may_read);
    EXPECT_THAT(verdict(open), HasSubstr("private bucket: its files are publicly readable"));
}

TEST_P(S3Check, StrangersMustReadThePublicBucket) {
    S3Options closed = options();
    closed.public_bucket = make_bucket(GetParam());
    EXPECT_THAT(verdict(closed),
                AllOf(HasSubstr("public bucket: its files are not publicly readable"), HasSubstr("s3:GetObject")));
}

TEST_P(S3Check, TellsWhichCredentialsAreWrong) {
    S3Options wrong = options();
    wrong.secret = "another-secret-than-the-servers";
    EXPECT_THAT(verdict(wrong), HasSubstr("the secret does not match"));
    wrong = options();
    wrong.access_key = "NOBODY";
    EXPECT_THAT(verdict(wrong),
                AnyOf(HasSubstr("does not know the access key"), HasSubstr("the secret does not match")));
    wrong = options();
    wrong.private_bucket = "no-such-bucket";
    EXPECT_THAT(verdict(wrong), HasSubstr("the bucket does not exist"));
}

TEST_P(S3Check, TellsThatTheClockIsWrong) {
    for (const auto off : {-1h, 1h})
        EXPECT_THAT(verdict(options(), ManualClock(SystemClock().now() + off)),
                    HasSubstr("the clocks of this machine"));
}

TEST_P(S3Check, KnowsASilentServerFromAnUnfitOne) {
    TcpProxy proxy(shared_s3(GetParam()).port);
    S3Options behind = options();
    behind.server.host = "127.0.0.1:" + std::to_string(proxy.port());
    behind.timeout = 300ms;
    proxy.hang();
    EXPECT_THROW(S3Store(behind).check(), Unavailable);
    proxy.refuse();
    EXPECT_THROW(S3Store(behind).check(), Unavailable);
}

TEST_P(S3Check, ReadsThePublicBucketWhereEverybodyDoes) {
    S3Options elsewhere = options();
    elsewhere.public_bucket = make_bucket(GetParam(), Strangers::may_read);
    elsewhere.public_url = "http://" + elsewhere.server.host + "/" + elsewhere.public_bucket;
    EXPECT_EQ(verdict(elsewhere), "");
    elsewhere.public_url = "http://" + elsewhere.server.host + "/published";
    EXPECT_THAT(verdict(elsewhere), HasSubstr("its files are not publicly readable at " + elsewhere.public_url));
}

TEST(S3CheckRegion, IsToldWhereTheServerInsists) {
    S3Options options = shared_s3(S3Kind::swift).options();
    options.region = "eu-other-1";
    EXPECT_THAT(complaint([&] { S3Store(options).check(); }), HasSubstr("the region differs from the server's"));
}

TEST(S3CheckRights, NamesTheOneThatIsMissing) {
    for (const std::string right : {"s3:PutObject", "s3:GetObject", "s3:DeleteObject"}) {
        S3Options options = shared_s3(S3Kind::rgw).options();
        options.private_bucket = make_bucket(S3Kind::rgw);
        set_policy(options.private_bucket, R"("Effect":"Deny","Action":")" + right + '"');
        EXPECT_THAT(complaint([&] { S3Store(options).check(); }),
                    AllOf(HasSubstr("private bucket: "), HasSubstr("it needs " + right)));
    }
}

TEST(S3CheckRights, StrangersMayNotListThePrivateBucket) {
    S3Options options = shared_s3(S3Kind::rgw).options();
    options.private_bucket = make_bucket(S3Kind::rgw);
    set_policy(options.private_bucket, R"("Effect":"Allow","Action":"s3:ListBucket")");
    EXPECT_THAT(complaint([&] { S3Store(options).check(); }), HasSubstr("its files can be listed publicly"));
}

TEST(S3CheckRights, DOC_7_StrangersMayNotChangeThePublicBucket) {
    for (const auto& [right, verdict] :
         {std::pair("s3:PutObject", "public bucket: it is publicly writable"),
          std::pair("s3:DeleteObject", "public bucket: its files can be deleted publicly")}) {
        S3Options options = shared_s3(S3Kind::rgw).options();
        options.public_bucket = make_bucket(S3Kind::rgw);
        set_policy(options.public_bucket,
                   R"("Effect":"Allow","Action":["s3:GetObject",")" + std::string(right) + R"("])");
        EXPECT_THAT(complaint([&] { S3Store(options).check(); }), HasSubstr(verdict));
    }
}

S3Options over_tls(const S3Server& server) {
    S3Options options = server.options();
    options.server = {.host = "127.0.0.1:" + std::to_string(server.tls_port),
                      .buckets_by_host = false,
                      .tls = true,
                      .ca_file = server.ca_file};
    return options;
}

TEST(S3CheckTls, TrustsWhoItIsToldAtThePublicAddressOfTheServerToo) {
    const S3Server& server = shared_s3(S3Kind::rgw);
    S3Options options = over_tls(server);
    options.public_url = "https://" + options.server.host + "/" + options.public_bucket;
    EXPECT_EQ(complaint([&] { S3Store(options).check(); }), "");
}

TEST(S3CheckRights, DOC_7_StrangersMayNotChangeThePublicBucketWhoseAddressIsAway) {
    S3Options options = shared_s3(S3Kind::rgw).options();
    TcpProxy away(shared_s3(S3Kind::rgw).port);
    away.refuse();
    options.public_url = "http://127.0.0.1:" + std::to_string(away.port()) + "/" + options.public_bucket;
    EXPECT_THROW(S3Store(options).check(), Unavailable);
    EXPECT_THAT(complaint([&] { S3Store(options).check(); }), HasSubstr("public address: "));
    options.public_bucket = make_bucket(S3Kind::rgw);
    set_policy(options.public_bucket, R"("Effect":"Allow","Action":["s3:GetObject","s3:PutObject"])");
    EXPECT_THAT(complaint([&] { S3Store(options).check(); }), HasSubstr("public bucket: it is publicly writable"));
}

TEST(S3CheckTls, TrustsWhoItIsTold) {
    const S3Server& server = shared_s3(S3Kind::rgw);
    S3Options options = over_tls(server);
    EXPECT_EQ(complaint([&] { S3Store(options).check(); }), "");
    for (const std::string& ca_file : {server.untrusted_ca_file, std::string()}) {
        options.server.ca_file = ca_file;
        try {
            S3Store(options).check();
            ADD_FAILURE() << "trusted by " << ca_file;
        } catch (const Unavailable& outage) {
            EXPECT_THAT(outage.what(), HasSubstr("certificate"));
        }
    }
}

}  // namespace
}  // namespace consentry::tests
