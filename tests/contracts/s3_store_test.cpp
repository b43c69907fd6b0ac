// Tests what the S3 engine promises beyond the port: real servers check its addresses and deliver its objects.
#include "storage/s3/s3_store.hpp"

#include <gmock/gmock.h>

#include "base/uuid.hpp"
#include "tests/contracts/s3_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::Area;
using storage::S3Store;
using ::testing::AnyOf;

class S3Addresses : public ::testing::TestWithParam<S3Kind> {
protected:
    using Fields = std::vector<std::pair<std::string, std::string>>;
    static inline const std::string mime = "text/x-handlebars-template";
    static inline const Fields typed{{"content-type", mime}};

    unsigned put(const std::string& url, std::string body, const Fields& headers = typed) {
        return ask("PUT", url, std::move(body), headers).status;
    }
    std::optional<std::string> stored() {
        const auto object = run(store.get(Area::private_area, key, 100));
        return object ? std::optional(object->bytes) : std::nullopt;
    }
    static std::string replaced(std::string text, std::string_view from, std::string_view to) {
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    }

    const std::string key = "up/" + Uuid::v7(SystemClock().now()).text() + "/en.hbs";
    const TimePoint now = std::chrono::floor<seconds>(SystemClock().now());
    S3Store store{shared_s3(GetParam()).options()};
};
INSTANTIATE_TEST_SUITE_P(Servers, S3Addresses, ::testing::Values(S3Kind::rgw, S3Kind::swift),
                         ::testing::PrintToStringParamName());

TEST_P(S3Addresses, DOC_2_OneForWritingIsBoundToKeyMethodTypeSizeAndTime) {
    const std::string url = store.address_to_put(key, mime, 5, now, now + 1min);
    EXPECT_EQ(put(url, "hello!"), 403U);
    EXPECT_EQ(put(url, "hell"), 403U);
    EXPECT_EQ(put(url, "hello", {{"content-type", "text/html"}}), 403U);
    EXPECT_EQ(put(replaced(url, "en.hbs", "fr.hbs"), "hello"), 403U);
    EXPECT_EQ(put(replaced(url, "Expires=60", "Expires=6000"), "hello"), 403U);
    EXPECT_EQ(put(replaced(url, "/drafts/", "/published/"), "hello"), 403U);
    EXPECT_EQ(ask("GET", url, {}, typed).status, 403U);
    EXPECT_EQ(ask("DELETE", url, {}, typed).status, 403U);
    EXPECT_EQ(put(store.address_to_put(key, mime, 5, now - 1h, now - 1s), "hello"), 403U);
    EXPECT_EQ(stored(), std::nullopt);
    EXPECT_EQ(put(url, "hello"), 200U);
    EXPECT_EQ(stored(), "hello");
    EXPECT_EQ(run(store.head(Area::private_area, key))->mime, mime);
}

TEST_P(S3Addresses, DOC_2_OneForReadingIsBoundToKeyMethodAndTime) {
    run(store.put(Area::private_area, key, "{{secret}}", mime));
    const std::string url = store.address_to_get(key, now, now + 1min);
    const auto got = ask("GET", url);
    EXPECT_EQ(got.status, 200U);
    EXPECT_EQ(got.body, "{{secret}}");
    EXPECT_EQ(got.header("content-type"), mime);
    EXPECT_EQ(got.header("content-disposition"), "attachment");
    EXPECT_EQ(put(url, "other"), 403U);
    EXPECT_EQ(ask("DELETE", url).status, 403U);
    EXPECT_EQ(ask("GET", replaced(url, "attachment", "inline")).status, 403U);
    EXPECT_EQ(ask("GET", replaced(url, "en.hbs", "fr.hbs")).status, 403U);
    EXPECT_EQ(ask("GET", store.address_to_get(key, now - 1h, now - 1s)).status, 403U);
    EXPECT_EQ(stored(), "{{secret}}");
}

TEST_P(S3Addresses, ACompressedObjectSaysSoAndADamagedOneIsNone) {
    const std::string bytes(5'000, 'b');
    run(store.put_compressed(Area::public_area, key, bytes, "application/octet-stream"));
    const auto got = ask("GET", store.public_address(key));
    EXPECT_EQ(got.status, 200U);
    EXPECT_EQ(got.header("content-encoding"), "gzip");
    EXPECT_EQ(got.header("content-type"), "application/octet-stream");
    EXPECT_LT(got.body.size(), 100U);
    EXPECT_EQ(run(store.get(Area::public_area, key, 10'000))->bytes, bytes);
    run(store.put(Area::public_area, key, "plain", mime));
    EXPECT_EQ(ask("GET", store.public_address(key)).header("content-encoding"), std::nullopt);

    const std::string url = store.address_to_put(key, mime, 7, now, now + 1min);
    ASSERT_EQ(put(url, "damaged", {{"content-type", mime}, {"content-encoding", "gzip"}}), 200U);
    EXPECT_FALSE(run(store.get(Area::private_area, key, 100)));
}

TEST_P(S3Addresses, DOC_3_WithoutASignatureOnlyThePublicOneAnswers) {
    run(store.put(Area::private_area, key, "draft", mime));
    run(store.put(Area::public_area, key, "terms", "text/plain; charset=utf-8"));
    const std::string url = store.public_address(key);
    const auto got = ask("GET", url);
    EXPECT_EQ(got.status, 200U);
    EXPECT_EQ(got.body, "terms");
    EXPECT_EQ(got.header("content-type"), "text/plain; charset=utf-8");
    EXPECT_EQ(got.header("content-disposition"), "attachment");
    EXPECT_THAT(ask("GET", replaced(url, "/published/", "/drafts/")).status, AnyOf(401U, 403U));
    EXPECT_THAT(ask("PUT", url, "other", typed).status, AnyOf(401U, 403U));
    EXPECT_THAT(ask("DELETE", url).status, AnyOf(401U, 403U));
    EXPECT_EQ(ask("GET", url).body, "terms");
}

TEST_P(S3Addresses, WorkWithTheBucketInTheHostAsWell) {
    auto options = shared_s3(GetParam()).options();
    options.server.host = "localhost:" + std::to_string(shared_s3(GetParam()).port);
    options.server.buckets_by_host = true;
    S3Store by_host(options);
    EXPECT_EQ(put(by_host.address_to_put(key, mime, 5, now, now + 1min), "hello"), 200U);
    EXPECT_EQ(ask("GET", by_host.address_to_get(key, now, now + 1min)).body, "hello");
    run(by_host.put(Area::public_area, key, "terms", mime));
    EXPECT_EQ(ask("GET", by_host.public_address(key)).body, "terms");
    EXPECT_EQ(stored(), "hello");
}

TEST_P(S3Addresses, APutKeepsTheBytesAsTheyAre) {
    std::string bytes;
    for (int i = 0; i < 1024 * 1024; ++i) bytes += static_cast<char>(i * 7 % 251);
    run(store.put(Area::private_area, key, bytes, mime));
    const auto object = run(store.get(Area::private_area, key, bytes.size()));
    ASSERT_TRUE(object);
    EXPECT_TRUE(object->bytes == bytes);
}

TEST(S3PublicAddress, IsTheNetworkInFrontWhereThereIsOne) {
    storage::S3Options options{.region = "eu-central-1", .private_bucket = "drafts", .public_bucket = "published"};
    EXPECT_EQ(S3Store(options).public_address("a/1/en.hbs"),
              "https://published.s3.eu-central-1.amazonaws.com/a/1/en.hbs");
    options.public_bucket = "published.example.com";
    EXPECT_EQ(S3Store(options).public_address("a/1/en.hbs"),
              "https://s3.eu-central-1.amazonaws.com/published.example.com/a/1/en.hbs");
    options.public_url = "https://cdn.example.com/terms";
    EXPECT_EQ(S3Store(options).public_address("a/1/en.hbs"), "https://cdn.example.com/terms/a/1/en.hbs");
}

}  // namespace
}  // namespace consentry::tests
